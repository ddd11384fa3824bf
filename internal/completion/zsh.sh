#compdef PROGRAM
_FUNCTION() {
    local -a line found
    line=("${(@)words[1,CURRENT-1]}")
    if [[ "${words[CURRENT]}" == -* ]]; then
        line+=("${words[CURRENT]}")
    fi
    found=("${(@f)$("${line[@]}" --generate-bash-completion 2>/dev/null </dev/null)}")
    if [[ -n "${found[1]}" ]]; then
        compadd -- "${found[@]}"
    else
        _files
    fi
}
compdef _FUNCTION PROGRAM
