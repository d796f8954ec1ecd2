# A deadline of a lead that was lost counts no more.
# test: unit/control/test_control_holds
/^answer_deadline(/,/^}/s/view_note_given(view, \*sent);/;/
