# Completion of petrel and petrel-host for fish. It reads commands and flags from the program's own --help, so that they
# are never out of date, and queues from the agent (it offers none if the agent does not answer).

function __petrel_help # of the command before the cursor
    set -l words (commandline -opc)
    $words[1] (string match -r -- '^[a-z][a-z-]*$' $words[2..]) --help 2>/dev/null | sed '/^Examples:/q'
end

function __petrel_takes # NAME: whether the command has such an argument
    __petrel_help | string match -qr "^  ($argv[1])( |\$)"
end

function __petrel_queues
    set -l words (commandline -opc)
    $words[1] queues --json 2>/dev/null | grep -oE '"port":"[^"]*","queue":([0-9]+|null)' |
        sed -E 's/"port":"(.*)","queue":null/\1/; s/"port":"(.*)","queue":/\1:/' | sort -uV
end

function __petrel_interfaces
    path basename /sys/class/net/*
end

for program in petrel petrel-host
    complete -c $program -f -a "(__petrel_help | sed -nE 's/^  ([a-z][a-z-]*)( .*)?\$/\1/p')"
    complete -c $program -f -n 'string match -q -- "-*" (commandline -ct)' -a "(__petrel_help | sed -nE 's/^  (-[a-zA-Z],)?(--[a-z][a-z-]*).*/\2/p')"
    complete -c $program -f -n '__petrel_takes QUEUE' -a '(__petrel_queues)'
    complete -c $program -f -n '__petrel_takes INTERFACE' -a '(__petrel_interfaces)'
    complete -c $program -F -n '__petrel_takes "FILE|TRACE"'
end
