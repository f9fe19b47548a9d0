
# Sessions, entries and models: pitree says which.
function __pitree_find_words
    set -g __pitree_found (command pitree complete-words -- (commandline -opc) (commandline -ct) 2>/dev/null)
    set -q __pitree_found[1]
end

function __pitree_words
    __pitree_find_words
    and string join \n -- $__pitree_found
end

function __pitree_show_words
    string join \n -- $__pitree_found
end

complete -c pitree -n "not __fish_pitree_needs_command >/dev/null; and __pitree_find_words" -k -f -a "(__pitree_show_words)"
