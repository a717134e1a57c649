import { isPassphrase, isSecret, type Suspicion } from "./value.ts"

/** A secret in a text. */
export interface Found {
  from: number
  to: number
  /** The kind of secret, for the mask. */
  kind: string
}

/**
 * Values beside a word that names a secret: `"password": "…"`, `api_key = …`, `--token …`, `?access_token=…`,
 * "the password is …". The value behind the word has to look like a secret.
 */
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

/** `dbPassword` and `DB_PASSWORD` are; `tokens`, `passwordPolicy`, `compass` and `nextToken` are not. */
function isWholeName(text: string, from: number, to: number): boolean {
  if (GOES_ON.test(text.slice(to, to + 2))) return false
  const before = text.slice(Math.max(0, from - 20), from)
  if (NO_SECRET_BEFORE.test(before)) return false
  return !SHORT.test(text.slice(from, to)) || !/(?<!require)(?<=[a-z])$/i.test(before)
}

interface Link {
  kind: "set" | "yaml" | "tight" | "call" | "tag" | "flag" | "prose" | "beside"
  /** Where the value begins, or its quotation mark. */
  end: number
}

function linkBehind(text: string, from: number, end: number): Link | undefined {
  for (const [link, pattern] of LINKS) {
    pattern.lastIndex = end
    const found = pattern.exec(text)
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
  QUOTED.lastIndex = link.end
  const { open, value } = QUOTED.exec(text)?.groups ?? {}
  if (open !== undefined && value !== undefined)
    return { text: value, from: link.end + open.length, isQuoted: true }
  QUOTED_WORDS.lastIndex = link.end
  // Neighbours in a list are not name and value.
  const phrase = (link.kind === "call" ? undefined : QUOTED_WORDS.exec(text)?.groups) ?? {}
  if (phrase["open"] !== undefined && phrase["value"] !== undefined)
    return { text: phrase["value"], from: link.end + phrase["open"].length, isQuoted: true }
  BARE.lastIndex = link.end
  const bare = BARE.exec(text)?.[0].replace(/[.,:?]+$/, "") ?? ""
  const next = text[link.end + bare.length] ?? ""
  // A call, an item, a type: code, not a value.
  if (
    bare === "" ||
    link.kind === "call" ||
    CODE.test(text.slice(link.end + bare.length, link.end + bare.length + 2))
  )
    return undefined
  if (link.kind === "tag" && next !== "<") return undefined
  return { text: bare, from: link.end, isQuoted: false }
}

function suspicionOf(text: string, kind: string, link: Link, value: Value): Suspicion {
  if (kind !== "password") return "token"
  if (link.kind === "prose" || link.kind === "beside") return "prose"
  if (value.isQuoted || link.kind === "flag" || link.kind === "tag") return "password"
  // Without quotation marks it is a setting if it ends where one does: `password = user2, …` is code.
  const behind = text.slice(value.from + value.text.length, value.from + value.text.length + 2)
  if (link.kind === "tight") return /^(?:[\s&\\"'`]|$)/.test(behind) ? "password" : "prose"
  if (link.kind !== "yaml") return "prose"
  // In a sentence, "password: hunter2xyz and the host is …", it has letters and digits.
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
// Words before a token or key that is public, or a part of a text.
const NO_SECRET_BEFORE =
  /(?:next|page|paging|continuation|resume|sync|cursor|pad|eos|bos|sep|cls|unk|mask|stop|design|syntax|cancel(?:lation)?|public|publishable|max|min|per|first|last|previous|prev|current|start|end|lookahead|idempotency)[-_ ]?$/i
const LINKS: readonly (readonly [kind: Link["kind"], pattern: RegExp])[] = [
  // A name and its value as two fields: `name: DB_PASSWORD`, and below it `value: …`.
  ["yaml", /\d?\\{0,3}["']?,?(?:\s|\\[nrt]){1,40}\\{0,3}["']?value\\{0,3}["']?\s{0,3}[:=]\s{0,3}/iy],
  ["set", /\d?:[ \t]?[A-Za-z]{2,12}[ \t]?=[ \t]{0,3}/y],
  ["yaml", /\d?:[ \t]{1,20}/y],
  ["tight", /\d?=(?![=>])/y],
  ["set", /\d?\\{0,3}["'`]?\]?[ \t]{0,20}(?:=>|:=|[:=]=?|：)[ \t]{0,20}/y],
  // `password("…")`, and `"password", "…"`.
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
// Several words: a password may have blanks in it.
const QUOTED_WORDS =
  /(?<open>[rbfu]?\\{0,3}(?<mark>["'`]))(?<value>(?:(?!\k<mark>)[^\r\n\t\\]){1,100})(?=\\{0,3}\k<mark>)/y
const BARE = /[^\s\p{Cc}"'`,;&|<>(){}[\]\\]{1,200}/uy
// `[0m` is a colour of a terminal.
const CODE = /^(?:[({]|\[(?!\d))/
