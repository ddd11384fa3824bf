_FUNCTION() {
    local line=("${COMP_WORDS[@]:0:COMP_CWORD}") current="${COMP_WORDS[COMP_CWORD]}" words
    if [[ "$current" == -* ]]; then
        line+=("$current")
    fi
    words=$("${line[@]}" --generate-bash-completion 2>/dev/null </dev/null)
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o bashdefault -o default -F _FUNCTION PROGRAM
