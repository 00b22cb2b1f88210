# bash completion of soa; made by 'soa completion bash'.
_soa() {
    local word="$2" line="${COMP_LINE:0:COMP_POINT}" options=""
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "info models convert compute project bench check eval emit explain simplify derive tutor prove repl sim sweep flex plot view demo completion --help --version" -- "$word"))
        return
    fi
    case "${COMP_WORDS[1]}" in
        info) options="--help --json --all --frames --base --ascii" ;;
        models) options="--help --json" ;;
        convert) options="--help --out --to" ;;
        compute) options="--help --what --states --random --seed --from --q --v --tau --vdot --base --at --step --minimal --independent --weight --held --wrench --rank-tolerance --contradiction --velocity-tolerance --open --no-forces --out --json --csv --all" ;;
        project) options="--help --states --random --seed --from --q --v --tau --vdot --base --metric --tolerance --rank-tolerance --contradiction --velocity-tolerance --out --json" ;;
        bench) options="--help --json --only --lanes --threads --states --growth --seconds --seed" ;;
        check) options="--help --json --base" ;;
        eval) options="--help --states --random --seed --from --q --v --tau --vdot --force --at --join --rows --let --file --base --jit --json --all" ;;
        emit) options="--help --model --out --name --at --base --float --lanes --literal --libm --forces --driver --data --kernel --count --let --file" ;;
        explain) options="--help --let --file --levels --unicode --latex --dot --svg" ;;
        simplify) options="--help --let --file --seconds --unicode --latex" ;;
        derive) options="--help --let --file --seconds --unicode --latex" ;;
        tutor) options="--help" ;;
        prove) options="--help --let --file --seconds --certificate --unicode --latex" ;;
        repl) options="--help --states --random --seed --from --q --v --tau --vdot --force --at --join --rows --let --file --base --jit --json --all" ;;
        sim) options="--help --out --format --checkpoint --resume --check --json --schema --jit --view" ;;
        sweep) options="--help --vary --runs --seed --threads --jit --only --out" ;;
        flex) options="--help --out --modes --clamp --interface --node --damping --json" ;;
        plot) options="--help --out" ;;
        view) options="--help --out --base" ;;
        demo) options="--help" ;;
        completion) options="--help" ;;
    esac
    case "${line##* }" in
        -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
        b*) COMPREPLY=($(compgen -f -W "builtin:pendulum builtin:double-pendulum builtin:arm6 builtin:arm7 builtin:dual-arm builtin:quadruped builtin:humanoid builtin:satellite builtin:hexapod builtin:chain: builtin:flexible-chain: builtin:tree:" -- "${line##* }"))
            # the shell replaces only what follows a colon
            case "${line##* }" in builtin:*) COMPREPLY=("${COMPREPLY[@]#builtin:}") ;; esac ;;
        *) COMPREPLY=($(compgen -f -- "$word")) ;;
    esac
}
complete -o filenames -o bashdefault -F _soa soa
