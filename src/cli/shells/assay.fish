# Completion of assay for fish. The program itself says what may follow, so that this file never
# falls behind it; what it answers is never evaluated.
function __assay_complete
    set -l words (commandline -opc)
    while string match -qr '^\w+=' -- $words[1]
        set -e words[1]
    end
    set -l typed (commandline -ct)
    command assay __complete fish "$typed" $words[2..-1] 2>/dev/null
end
complete -c assay -f -a '(__assay_complete)'
