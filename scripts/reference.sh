#!/usr/bin/env bash
# docs/reference.md from the public headers, the program's help and the lists in the
# headers. Usage: scripts/reference.sh SOA TABLES > docs/reference.md
# SOA: the program; TABLES: the program made of tests/docs/tables.c (see `make reference`).
set -euo pipefail
soa=$1 tables=$2
include=$(cd "$(dirname "$0")/../include/soa" && pwd)
first="core spatial joint model dynamics batch operator" # the others follow
headers="$first $(cd "$include" && for h in *.h; do
  case " $first soa " in *" ${h%.h} "*) ;; *) echo "${h%.h}" ;; esac
done)"

# HEADER -> its purpose, its functions and types, each with its comment. A function
# without a comment of its own stands with the one before.
header() {
  awk '
    function escape(s) { gsub(/[*_<\[\]]/, "\\\\&", s); return s }
    function prose(text,   n, i, line, out) { # comment text as Markdown; indented lines are formulas
      n = split(text, line, "\n"); out = ""
      for (i = 1; i <= n; i++) {
        if (line[i] ~ /^    /) {
          sub(/^ +/, "", line[i]); sub(/ +$/, "", line[i]); gsub(/  +/, "  ", line[i])
          out = out (out ~ /`$/ ? "\\\n" : "\n") "`" line[i] "`"
          if (i < n && line[i + 1] !~ /^    /) out = out " "
        } else out = out (i > 1 ? "\n" : "") escape(line[i])
      }
      return out
    }
    function names(arguments,   n, i, part, out) { # "const double *q, int n" -> "q, n"
      n = split(arguments, part, ","); out = ""
      for (i = 1; i <= n; i++) {
        sub(/^ +/, "", part[i])
        if (part[i] == "void") continue
        sub(/.*[ *]/, "", part[i])
        out = out (out == "" ? "" : ", ") part[i]
      }
      return out
    }
    function indent(s) { gsub(/\n/, "\n  ", s); return s }
    function entry(text) { group = group (group == "" ? "- " : "\\\n  ") text }
    function flush() { # what stands together: names, then the comment above them
      if (group != "") print group (comment == "" ? "" : "\\\n  " indent(prose(comment)))
      else if (comment != "") print "\n" prose(comment) "\n"
      group = comment = "" }
    function put_function(text,   head, arguments) {
      sub(/ *SOA_PRINTF\([^)]*\)/, "", text)
      head = text; sub(/\(.*/, "", head); sub(/^SOA_API +/, "", head)
      arguments = text; sub(/^[^(]*\(/, "", arguments); sub(/\).*/, "", arguments)
      entry("`" head "(" names(arguments) ")`" (side == "" ? "" : ": " escape(side)))
      side = ""
    }
    function clean(line) { sub(/^ ?\* ?/, "", line); return line }
    FNR == 1 { # the purpose: everything up to the end of the first comment
      sub(/^\/\* soa\/[a-z_]*\.h - /, ""); purpose = $0; inside = "purpose" }
    inside == "purpose" {
      last = /\*\/$/; sub(/ *\*\/$/, "")
      text = FNR == 1 ? $0 : text "\n" clean($0)
      if (last) { print_purpose(); inside = "" }
      next }
    inside == "comment" { last = /\*\/$/; sub(/ *\*\/$/, ""); comment = comment "\n" clean($0); if (last) inside = ""; next }
    inside == "function" { sub(/^ +/, ""); joined = joined " " $0; if (/;/) end_function(); next }
    inside == "body" {
      if (/^} /) { name = $2; sub(/;.*/, "", name); put_comment_type(name); inside = "" }
      next }
    inside == "macro" { if (!/\\$/) inside = ""; next }
    /^\/\* ---- / { flush(); title = $0; sub(/^\/\* -+ /, "", title); sub(/ -*( \*\/)?$/, "", title)
      print "\n### " title "\n"
      if (!/\*\/$/) { inside = "comment"; section = 1 }
      next }
    /^\/\* clang-format/ { next }
    /^\/\* / { flush(); sub(/^\/\* /, ""); last = /\*\/$/; sub(/ *\*\/$/, ""); comment = $0; if (!last) inside = "comment"; next }
    /^SOA_API / { joined = $0; inside = "function"; if (/;/) end_function(); next }
    /^typedef (struct|enum) .*\{/ { inside = "body"; next }
    /^typedef struct .*;/ { name = $NF; sub(/;/, "", name); put_comment_type(name); next }
    /^#define .*\\$/ { if (/_LIST\(/ || comment ~ /^Of every /) comment = ""; inside = "macro"; next } # lists: see the tables
    /^SOA_[A-Z_]+_LIST\(/ { flush(); next }
    /^typedef [^{]*\(/ { name = $0; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name); entry("`" name "`"); next }
    /^#define SOA_[A-Z_]+ +[^ ]/ && !/SOA_VERSION_|SOA_API|_H$|,$/ {
      constant = $2; value = $0; sub(/^#define +[A-Z_]+ +/, "", value)
      entry("`" constant "` = `" value "`"); next }
    /^$/ || /^#ifdef/ { if (group != "" || section) flush(); section = 0; next }
    function end_function(   at) {
      side = ""
      at = index(joined, "/*")
      if (at) { side = substr(joined, at + 3); sub(/ *\*\/.*/, "", side); joined = substr(joined, 1, at - 1) }
      put_function(joined); inside = "" }
    function put_comment_type(name) { entry("`" name "`") }
    function print_purpose(   first, rest, at) {
      at = index(text, "\n"); first = at ? substr(text, 1, at - 1) : text; rest = at ? substr(text, at + 1) : ""
      print "\n## soa/" file "\n"; print "*" first "*\n" (rest == "" ? "" : prose_block(rest)) }
    function prose_block(rest,   n, i, line, out, code) { # paragraphs; indented lines are a block of code
      n = split(rest, line, "\n"); out = ""
      for (i = 1; i <= n; i++) {
        if (line[i] ~ /^    / && !code) { out = out "\n```text\n"; code = 1 }
        if (line[i] !~ /^    / && code) { out = out "```\n"; code = 0 }
        out = out (code ? substr(line[i], 5) : escape(line[i])) "\n"
      }
      return out (code ? "```" : "") }
  ' file="$1" "$include/$1"
}

page() {
  cat <<'END'
# Reference

Made by `make reference` from the headers, the program and its lists; do not edit.
A function is shown with the names of its arguments; types, and the fields of
structures, are in [include/soa](../include/soa).
END
  echo
  for h in $headers; do
    echo "· [soa/$h.h](#soa${h}h)"
  done
  echo "· [Command line](#command-line) · [Statuses](#statuses) · [Joint kinds](#joint-kinds) · [Closure kinds](#closure-kinds)"
  echo "· [File formats](#file-formats) · [Built-in models](#built-in-models) · [Operators](#operators) · [Identities](#identities)"
  for h in $headers; do
    header $h.h
  done

  printf '\n## Command line\n\nExit status: 0 success, 1 the request failed, 2 wrong usage. '
  printf "More: the manual page, \`man soa\`.\n\n\`\`\`text\n"
  "$soa" --help
  printf '```\n'
  for command in $("$soa" --help | awk '/^  [a-z]/ { print $1 }'); do
    printf '\n### soa %s\n\n```text\n' "$command"
    "$soa" "$command" --help
    printf '```\n'
  done
  echo
  "$tables"
}

page | sed 's/ *$//' | cat -s
