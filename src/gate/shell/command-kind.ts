import { fileCheck, hasGoals, programCheck, scriptCheck } from "../../shared/shell/check-names.ts"
import type { CommandKind } from "./judgement.ts"
import { setOf } from "./options.ts"

/** What a program is about that has no judge of its own; undefined if it is not known here. */
export function programKind(name: string, args: readonly string[]): CommandKind | undefined {
  if (READERS.has(name)) return "read"
  return programCheck(name, args) ?? (hasGoals(name) ? "other" : undefined)
}

/** What a script is about, by its name: `test:unit`, `build`, `lint`. */
export function scriptKind(name: string): CommandKind {
  return scriptCheck(name) ?? "other"
}

/** What a script of the project's own is about, by the name of its file. */
export function fileKind(path: string): CommandKind {
  return fileCheck(path) ?? "other"
}

const READERS = setOf(
  "ls ll dir less more grep egrep fgrep zgrep rg ag ack wc uniq cut tr diff cmp comm file stat du df tree type whereis " +
    "printenv whoami hostname uname arch ps top htop pgrep lsof netstat ss free uptime jq xq gron hexdump od strings " +
    "md5sum sha1sum sha256sum sha512sum shasum md5 cksum sleep seq yes getconf locale man help jobs wait tty " +
    "column nl fold fmt paste join expr bc dc bat exa eza lsd delta cloc tokei scc rev " +
    "exit let hash umask ulimit dirs disown shopt enable times logout " +
    "nm objdump readelf ldd otool lscpu lsblk findmnt last who w groups logname tput clear reset stty ping dig " +
    "nslookup host traceroute ifconfig ip json.tool zcat bzcat xzcat look iconv pstree vmstat iostat ncdu glow fuser " +
    "inotifywait open xdg-open code",
)
