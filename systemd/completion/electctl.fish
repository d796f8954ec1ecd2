# SPDX-License-Identifier: ISC
# Completion of electctl in fish: electctl knows its own words.

function __electctl_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in ($words[1] --complete -- $words[2..] 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path (commandline -ct)
            case :command
                __fish_complete_command
            case '*'
                echo $line
        end
    end
end
complete -c electctl -f -a '(__electctl_complete)'
