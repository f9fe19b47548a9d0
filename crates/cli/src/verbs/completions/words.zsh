
# Sessions, entries and models: pitree says which.
_pitree_words() {
    local -a found values shown
    local line expl
    found=("${(@f)$(command pitree complete-words -- "${(@Q)_pitree_typed}" 2>/dev/null)}")
    for line in $found; do
        values+=("${line%%$'\t'*}")
        shown+=("${line/$'\t'/  }")
    done
    if (( ! $#values )); then
        _default
        return
    fi
    # The path of a session does not begin with the id that was typed.
    local -a anyway=()
    for line in $values; do
        [[ $line == ${(b)PREFIX}* ]] || anyway=(-U)
    done
    _wanted -V words expl word compadd $anyway -l -d shown -a values
}
