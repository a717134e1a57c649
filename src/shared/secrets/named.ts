import { isPassphrase, isSecret, type Suspicion } from "./value.ts"

export interface Found {
  from: number
  to: number
  kind: string
}

/** Finds values that follow a name for a secret: `"password": "…"`, `--token …`, "the password is …". */
export function* findNamedSecrets(text: string): Iterable<Found> {
  for (const { 0: name, index } of text.matchAll(NAME)) {
    const end = index + name.length
    if (!isWholeName(text, index, end)) continue
    const kind = kindOf(name)
    const link = linkBehind(text, index, end)
    const value = link === undefined ? undefined : valueAt(text, link)
    if (link === undefined || value === undefined) continue
    const suspicion = suspicionOf(text, kind, link, value)
    if (value.text.includes(" ") ? isPassphrase(value.text, suspicion) : isSecret(value.text, suspicion))
      yield { from: value.from, to: value.from + value.text.length, kind }
  }
}

function kindOf(name: string): string {
  return KINDS.find(([, pattern]) => pattern.test(name))?.[0] ?? "password"
}

/** True of `dbPassword` and `DB_PASSWORD`, false of `tokens`, `passwordPolicy`, `compass` and `nextToken`. */
function isWholeName(text: string, from: number, to: number): boolean {
  if (GOES_ON.test(text.slice(to, to + 2))) return false
  const before = text.slice(Math.max(0, from - 20), from)
  if (NO_SECRET_BEFORE.test(before)) return false
  return !SHORT.test(text.slice(from, to)) || !/(?<!require)(?<=[a-z])$/i.test(before)
}

/** The text between a name and its value, such as `=` or `: `. */
interface Link {
  kind: "set" | "yaml" | "tight" | "call" | "tag" | "flag" | "prose" | "beside"
  /** The index at which the value or its opening quote begins. */
  end: number
}

function linkBehind(text: string, from: number, end: number): Link | undefined {
  for (const [link, pattern] of LINKS) {
    const found = matchAt(pattern, text, end)
    if (found === null) continue
    if (link === "flag" && !FLAG.test(text.slice(Math.max(0, from - 40), from))) continue
    return { kind: link, end: end + found[0].length }
  }
  return undefined
}

interface Value {
  text: string
  from: number
  isQuoted: boolean
}

function valueAt(text: string, link: Link): Value | undefined {
  // In a call or list, quoted text with spaces is a message, so only a quoted word counts as a value.
  for (const pattern of link.kind === "call" ? [QUOTED] : [QUOTED, QUOTED_WORDS]) {
    const { open, value } = matchAt(pattern, text, link.end)?.groups ?? {}
    if (open !== undefined && value !== undefined)
      return { text: value, from: link.end + open.length, isQuoted: true }
  }
  const bare = matchAt(BARE, text, link.end)?.[0].replace(/[.,:?]+$/, "") ?? ""
  const behind = text.slice(link.end + bare.length, link.end + bare.length + 2)
  // `name(`, `name{` and `name[` are code, not values.
  if (bare === "" || link.kind === "call" || CODE.test(behind)) return undefined
  if (link.kind === "tag" && !behind.startsWith("<")) return undefined
  return { text: bare, from: link.end, isQuoted: false }
}

function matchAt(pattern: RegExp, text: string, from: number): RegExpExecArray | null {
  pattern.lastIndex = from
  return pattern.exec(text)
}

function suspicionOf(text: string, kind: string, link: Link, value: Value): Suspicion {
  if (kind !== "password") return "token"
  if (link.kind === "prose" || link.kind === "beside") return "prose"
  if (value.isQuoted || link.kind === "flag" || link.kind === "tag") return "password"
  // Without quotes, the value must end with its line or word: `password = user2, …` is code.
  const behind = text.slice(value.from + value.text.length, value.from + value.text.length + 2)
  if (link.kind === "tight") return /^(?:[\s&\\"'`]|$)/.test(behind) ? "password" : "prose"
  if (link.kind !== "yaml") return "prose"
  // Within a sentence ("password: hunter2xyz and the host is …"), the value must have letters and digits.
  const isInSentence = /^[\s,.;]/.test(behind) && LETTERS_AND_DIGITS.test(value.text)
  return isInSentence || /^(?:\r?\n|\\n| #|$)/.test(behind) ? "password" : "prose"
}

const NAME =
  /pass(?:word|wort|wd|phrase|code)?|pwd|pw|kennwort|wachtwoord|lösenord|adgangskode|salasana|contraseña|mot de passe|senha|parola|heslo|hasło|jelszó|şifre|пароль|密码|密碼|パスワード|비밀번호|identified by|(?:api|access|secret|private|signing|encryption|account|auth|master|service|license|storage)[-_ ]?key(?:_base)?|secret|token|authorization|_auth|[?&](?:key|sig|signature|jwt|sid)(?==)/gi
const KINDS: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ["API key", /^api/i],
  ["key", /key(?:_base)?$/i],
  ["token", /token|auth|sig|jwt|sid$/i],
  ["secret", /secret/i],
]
const SHORT = /^(?:pass|pwd|pw|senha)$/i
const LETTERS_AND_DIGITS = /^(?=.*\d)(?=.*\p{L}).{8,}$/u
const GOES_ON = /^(?:[A-Za-z_-]|\d[\w-])/
const FLAG = /(?:^|[\s"'`]|\\[nrt])-{1,2}(?:[a-z]+-){0,4}$/i
// Words before `token` or `key` that say it is no secret: `nextToken`, `public key`, `max_token`.
const NO_SECRET_BEFORE =
  /(?:next|page|paging|continuation|resume|sync|cursor|pad|eos|bos|sep|cls|unk|mask|stop|design|syntax|cancel(?:lation)?|public|publishable|max|min|per|first|last|previous|prev|current|start|end|lookahead|idempotency)[-_ ]?$/i
const LINKS: readonly (readonly [kind: Link["kind"], pattern: RegExp])[] = [
  // Name and value in two fields, as in Kubernetes: `name: DB_PASSWORD`, then `value: …`.
  ["yaml", /\d?\\{0,3}["']?,?(?:\s|\\[nrt]){1,40}\\{0,3}["']?value\\{0,3}["']?\s{0,3}[:=]\s{0,3}/iy],
  ["set", /\d?:[ \t]?[A-Za-z]{2,12}[ \t]?=[ \t]{0,3}/y],
  ["yaml", /\d?:[ \t]{1,20}/y],
  ["tight", /\d?=(?![=>])/y],
  ["set", /\d?\\{0,3}["'`]?\]?[ \t]{0,20}(?:=>|:=|[:=]=?|：)[ \t]{0,20}/y],
  // Matches `password("…")` and `"password", "…"`.
  ["call", /\d?\(\s?|\\{0,3}["'],[ \t]{0,3}/y],
  ["tag", /\d?>/y],
  ["flag", /[ \t]{1,3}(?!-)/y],
  [
    "prose",
    // "The password of the staging database is …"
    /[ \t](?:[\p{L}\p{N}'-]{1,20}[ \t]){0,6}?(?:is|was|is now|ist|ist jetzt|lautet|war|es|est|is nu|to|auf|->)[ \t:]{1,2}|(?:是|为|は)[ \t]{0,2}/iuy,
  ],
  ["beside", /[ \t]{0,20}\|[ \t]{0,20}|[ \t]{1,2}/y],
]
const QUOTED =
  /(?<open>[rbfu]?\\{0,3}(?<mark>["'`])(?:\k<mark>\k<mark>)?)(?<value>(?:(?!\k<mark>)[^\s\\]){1,200})(?=\\{0,3}\k<mark>|\s*$)/y
// A password may have spaces in it.
const QUOTED_WORDS =
  /(?<open>[rbfu]?\\{0,3}(?<mark>["'`]))(?<value>(?:(?!\k<mark>)[^\r\n\t\\]){1,100})(?=\\{0,3}\k<mark>)/y
const BARE = /[^\s\p{Cc}"'`,;&|<>(){}[\]\\]{1,200}/uy
// `[` before a digit is a terminal colour (`[0m`), not code.
const CODE = /^(?:[({]|\[(?!\d))/
