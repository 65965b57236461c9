# Completion of assay for bash (4.4 or newer; with the package bash-completion or without).
# The program itself says what may follow, so that this file never falls behind it: it gets the line
# as text, and what it answers is never evaluated.
_assay() {
    local -a answer
    local IFS=$' \t\n' option
    mapfile -t answer < <(command assay __complete bash "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
    COMPREPLY=("${answer[@]:1}")
    for option in ${answer[0]-}; do
        compopt -o "$option" 2>/dev/null
    done
} && complete -F _assay assay
