/* completion.c - soa completion: a script for the shell, made from the tables. */
#include <string.h>

#include "tool.h"

static void put_commands(FILE *out)
{
    for (int i = 0; i < tool_commands(); i++) {
        fprintf(out, "%s%s", i == 0 ? "" : " ", tool_command_at(i)->name);
    }
}

static void put_options(FILE *out)
{
    for (int i = 0; i < tool_commands(); i++) {
        const tool_command *command = tool_command_at(i);
        fprintf(out, "        %s) options=\"--help", command->name);
        for (const tool_option *o = command->options; o->name != NULL; o++) {
            fprintf(out, " --%s", o->name);
        }
        fputs("\" ;;\n", out);
    }
}

static void put_builtins(FILE *out)
{
    for (int i = 0; i < soa_builtins(); i++) {
        const char *name = soa_builtin_name(i);
        fprintf(out, "%sbuiltin:%.*s", i == 0 ? "" : " ", (int)strcspn(name, "N"), name);
    }
}

void tool_completion(tool_call *call)
{
    FILE *out = call->out;
    if (strcmp(call->operand[0], "bash") != 0) {
        tool_wrong_usage(call->command, "there is no completion for '%s'; write 'bash'", call->operand[0]);
    }
    fputs("# bash completion of soa; made by 'soa completion bash'.\n"
          "_soa() {\n"
          "    local word=\"$2\" line=\"${COMP_LINE:0:COMP_POINT}\" options=\"\"\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
          "        COMPREPLY=($(compgen -W \"",
        out);
    put_commands(out);
    fputs(" --help --version\" -- \"$word\"))\n"
          "        return\n"
          "    fi\n"
          "    case \"${COMP_WORDS[1]}\" in\n",
        out);
    put_options(out);
    fputs("    esac\n"
          "    case \"${line##* }\" in\n"
          "        -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
          "        b*) COMPREPLY=($(compgen -f -W \"",
        out);
    put_builtins(out);
    fputs("\" -- \"${line##* }\"))\n"
          "            # the shell replaces only what follows a colon\n"
          "            case \"${line##* }\" in builtin:*) COMPREPLY=(\"${COMPREPLY[@]#builtin:}\") ;; esac ;;\n"
          "        *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
          "    esac\n"
          "}\n"
          "complete -o filenames -o bashdefault -F _soa soa\n",
        out);
}
