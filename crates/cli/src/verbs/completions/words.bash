
# Sessions, entries and models: pitree says which. For all else there is the script above.
_pitree_words() {
    local word
    local -a found=()
    while IFS= read -r word; do
        found+=("${word}")
    done < <(command pitree complete-words --line "${COMP_LINE:0:COMP_POINT}" "${COMP_WORDBREAKS}" 2>/dev/null)
    if [[ "${#found[@]}" -eq 0 ]]; then
        _pitree "$@"
    elif [[ "${#found[@]}" -eq 1 || "${COMP_TYPE-9}" -eq 37 || "${COMP_TYPE-9}" -eq 42 ]]; then
        # These are put into the command line.
        COMPREPLY=("${found[@]%%$'\t'*}")
    else
        # These are only listed.
        COMPREPLY=("${found[@]/$'\t'/  }")
    fi
}
