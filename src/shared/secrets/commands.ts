import type { Found } from "./named.ts"
import { isSecret, type Suspicion } from "./value.ts"

/** Finds passwords in `.netrc`, cookies, and options whose names do not say "password" (`curl -u ann:…`, `mysql -p…`). */
export function* findCommandSecrets(text: string): Iterable<Found> {
  for (const { 0: called, index } of text.matchAll(PROGRAM)) {
    if (!START.test(text.slice(Math.max(0, index - 2), index))) continue
    const command = COMMANDS.find(({ program }) => program.test(called))
    if (command === undefined) continue
    const from = index + called.length
    command.option.lastIndex = from
    const found = command.option.exec(text)
    const { user, value } = found?.groups ?? {}
    if (found === null || value === undefined || value === user) continue
    if (!isSecret(value, command.suspicion)) continue
    const to = from + found[0].length
    yield { from: to - value.length, to, kind: command.kind }
  }
}

interface Command {
  program: RegExp
  option: RegExp
  suspicion: Suspicion
  kind: string
}

// The characters before a program's name. The text may be JSON, where a line ends with `\n`.
const START = /(?:^|[^\w-]|\\[nrt])$/
// The options before the password's, on the same line or on a line continued with `\`.
const ON_LINE = String.raw`(?:[^\n\\|;]|\\\\\\[nr]|\\(?![nr])[^]){0,200}?`
const VALUE = String.raw`\\?["']?(?<value>[^\s"'\\|;]{1,200})`
const BLANK = String.raw`(?:\s|\\[nrt]){1,8}`

function command(program: string, option: string): Command {
  return {
    program: new RegExp(`^(?:${program})$`),
    option: new RegExp(`${ON_LINE}[ \\t]${option}${VALUE}`, "y"),
    suspicion: "login",
    kind: "password",
  }
}

const COMMANDS: readonly Command[] = [
  command("curl|wget|xh", String.raw`(?:-u|--user|--proxy-user)[ =]{0,3}\\?["']?(?<user>[^\s:"'$\\]{1,80}):`),
  command("https?", String.raw`(?:-a|--auth)[ =]\\?["']?(?<user>[^\s:"'$\\]{1,80}):`),
  command("mysql(?:dump|admin|import|sh)?", "-p"),
  command("sshpass", "-p ?"),
  command("redis-cli", "-a "),
  command("(?:docker|podman|registry|oc|az|skopeo|oras) login", "-p "),
  command("mongo(?:sh|dump|restore|export|import)?", "-p "),
  command("openssl", "-(?:pass|passin|passout) [\"']?pass:"),
  command("ldap(?:search|modify|add|delete|whoami|passwd)", "-w "),
  command("smbclient", String.raw`-U \\?["']?(?<user>[^\s%"'\\]{1,80})%`),
  {
    program: /^machine$/,
    option: new RegExp(
      String.raw`${BLANK}[^\s\\]{1,200}${BLANK}login${BLANK}(?<user>[^\s\\]{1,100})${BLANK}password${BLANK}(?<value>[^\s"'\\]{1,200})`,
      "y",
    ),
    suspicion: "password",
    kind: "password",
  },
  {
    program: /^(?:set-)?cookie$/i,
    option: /:[^\n\\]{0,300}?(?:sess(?:ion)?[-_]?(?:id)?|sid|auth)=(?<value>[^\s"'\\;,]{1,200})/iy,
    suspicion: "token",
    kind: "session",
  },
]
const PROGRAM =
  /(?:curl|wget|xh|https?|mysql[a-z]{0,6}|sshpass|redis-cli|(?:docker|podman|registry|oc|az|skopeo|oras) login|mongo[a-z]{0,7}|openssl|ldap[a-z]{3,6}|smbclient)(?=[ \t])|machine(?=[\s\\])|(?:set-)?cookie(?=:)/gi
