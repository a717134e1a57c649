/**
 * Does an exit of 0 tell that a command did what it is for? Not where the shell answers with the exit of something else:
 * `npm test || true`, `npm test; echo done`, `npm test | tail`. Read roughly: in doubt it tells.
 */
export function hasTellingExit(command: string): boolean {
  if (command.length > MAX_CHARS) return true
  const words = command
    .replace(/\\\n/g, " ")
    .replace(/'[^']*'|"(?:\\.|[^"\\])*"/g, QUOTED)
    .replace(/\d*>>?&\s*\d|&>>?/g, " > ")
    .replace(/[(){}]|^\s*#.*$/gm, " ")
  return tells(words.trim().replace(/[;\s]+$/, ""), /\bpipefail\b/.test(command))
}

/** The last command decides; one that says nothing by itself hands the question on to what stands before it. */
function tells(words: string, isPipefail: boolean): boolean {
  const found = /(&&|\|\||\|&|[|;&\n])([^|;&\n]*)$/.exec(words)
  const [before, sign = "", last = words] = [words.slice(0, found?.index ?? 0).trim(), found?.[1], found?.[2]]
  const program = /^\s*(?:\w+=\S*\s+)*(\S*)/.exec(last)?.[1] ?? ""
  if (sign === "") return program !== "!" && !SAYS_NOTHING.has(program)
  if (last.trim() === "") return false // In the background.
  if (sign === "||")
    return /^\s*(exit\s+[1-9]|return\s+[1-9]|false\b)/.test(last) && tells(before, isPipefail)
  if (program === "!") return false
  if (!SAYS_NOTHING.has(program)) return true
  if (sign === "&&") return tells(before, isPipefail)
  return sign.startsWith("|") && isPipefail && tells(before, isPipefail)
}

const QUOTED = '""'
const SAYS_NOTHING = new Set(
  ": true echo printf exit fi done esac cat tac tail head grep egrep rg sed awk tee less more wc sort uniq cut tr jq xargs column ts date sleep ls pwd cd wait kill".split(
    " ",
  ),
)
const MAX_CHARS = 10_000
