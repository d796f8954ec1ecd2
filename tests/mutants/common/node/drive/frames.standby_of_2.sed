# A node takes the frame STANDBY also in a session of version 2.
# test: unit/node/test_standby
/^frame_is_of_session(/,/^}/s/version >= PACKET_VERSION_STANDBY/version >= PACKET_VERSION_MIN/
