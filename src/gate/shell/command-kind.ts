import { fileCheck, hasGoals, programCheck, scriptCheck } from "../../shared/shell/check-names.ts"
import type { CommandKind } from "./command-reading.ts"
import { setOf } from "./options.ts"
import type { SimpleCommand } from "./syntax-tree.ts"

/** The kind of a command whose program is neither git nor in the table of file-programs.ts. */
export function programKind(program: string, { args }: SimpleCommand): CommandKind {
  const [name = "", ...words] = args
  const isOwnScript = /[/\\]/.test(name)
  // `bin/test` is a script of the project, not the shell's `test`.
  if (isReader(program) && !(isOwnScript && /^(\.{1,2}|[\w-]+)\//.test(name))) return "read"
  if (words.length === 1 && /^(--version|--help|-V)$/.test(words[0] ?? "")) return "read"
  if (READING_VERBS.get(program)?.test(words.find((word) => !word.startsWith("-")) ?? "")) return "read"
  if (/^(make|gmake)$/.test(program) && words.some((word) => /^(-n|--dry-run|--just-print)$/.test(word)))
    return "read"
  if (/^(docker|podman|docker-compose)$/.test(program) && words.some((word) => /^(build|buildx)$/.test(word)))
    return "build"
  if (program === "node" && words.includes("--test")) return "test"
  const [goal = ""] = /^(rails|rake|artisan)$/.test(program) ? words : []
  const known = programCheck(program, words) ?? scriptCheck(goal) ?? (hasGoals(program) ? "other" : undefined)
  if (known !== undefined) return known
  const given = INTERPRETERS.has(program) ? words.find((word) => !word.startsWith("-")) : isOwnScript && name
  const script = given || ""
  if (!/^[\w@./~\\-]+$/.test(script)) return "other"
  const verb = words[words.indexOf(script) + 1] ?? ""
  return programCheck(script.split("/").at(-1) ?? "", [verb]) ?? fileCheck(script) ?? "other"
}

/** Whether the options of a reading program make it write a file or run a command. */
export function isToldToWrite(program: string, words: readonly string[]): boolean {
  if (WRITING_OPTIONS.get(program)?.test(` ${words.join(" ")}`)) return true
  // `uniq in out` writes to its second operand.
  return /^(uniq|xxd|json\.tool)$/.test(program) && words.filter((word) => !word.startsWith("-")).length > 1
}

export const isReader = (program: string): boolean => READERS.has(program)

const INTERPRETERS = setOf("python node nodejs tsx ts-node perl ruby php lua deno bun bash sh zsh dash")
const READING_VERBS = new Map([
  ...["docker", "podman", "nerdctl"].map(
    (one) => [one, /^(ps|logs|images|inspect|version|info|stats|top|port)$/] as const,
  ),
  ["docker-compose", /^(ps|logs|images|config|top|port)$/] as const,
  ["kubectl", /^(get|describe|logs|explain|top|version)$/] as const,
])
const WRITING_OPTIONS = new Map([
  ...["fd", "fdfind"].map((one) => [one, /\s(-\w*[xX]|--exec)/] as const),
  ...["sort", "shuf", "tree", "iconv", "less", "scc"].map((one) => [one, /\s(-\w*[oO]|--output)/] as const),
  ["rg", /\s--pre\b/] as const,
  ["cloc", /\s--(out|report-file)\b/] as const,
])
const READERS = setOf(
  "cat head tail echo printf pwd cd pushd popd basename dirname realpath readlink date id which true false test [ [[ : " +
    "export set unset local declare typeset readonly read return break continue shift find fd fdfind trap alias egrep " +
    "ls ll dir more grep fgrep zgrep rg ag ack wc cut tr diff cmp comm file stat du df type whereis env command " +
    "printenv whoami hostname uname arch ps top htop pgrep lsof netstat ss free uptime jq xq gron hexdump od strings " +
    "md5sum sha1sum sha256sum sha512sum shasum md5 cksum sleep seq yes getconf locale man help jobs wait tty tac " +
    "column nl fold fmt paste join expr bc dc exa eza lsd delta cloc tokei scc rev uniq view xxd mktemp shuf " +
    "exit let hash umask ulimit dirs disown shopt enable times logout xargs parallel time " +
    "nm objdump readelf ldd otool lscpu lsblk findmnt last who w groups logname tput clear reset stty ping dig " +
    "nslookup host traceroute ifconfig ip json.tool zcat bzcat xzcat look pstree vmstat iostat glow fuser " +
    "inotifywait open xdg-open code",
)
