/**
 * Where a value was found, which decides how much it must look like a secret. `login`: only a password can be there
 * (`curl -u ann:…`). `password`, `token`: after a name for one; a token must look random. `prose`: in a sentence.
 */
export type Suspicion = "login" | "password" | "token" | "prose"

/** True if a value is a secret, not a variable, placeholder, type, path or name. */
export function isSecret(value: string, suspicion: Suspicion): boolean {
  const shape = shapeOf(value)
  if (isStandIn(value, shape)) return false
  if (suspicion === "login") return value.length >= MIN_LOGIN
  if (isName(value, shape) && (suspicion !== "password" || /[-_.:/@]/.test(value))) return false
  const { letters, digits, signs, joins } = shape
  if (suspicion === "token")
    return isRandom(value, shape) || (value.length >= MIN_STRONG && letters > 0 && digits > 0 && signs > 0)
  const isMixed = letters > 0 && (digits > 0 || signs > 0 || joins > 1)
  if (suspicion === "password") return value.length >= MIN_PASSWORD && (isMixed || PIN.test(value))
  return isMixed && value.length >= MIN_STRONG && digits > 0 && (signs > 0 || joins > 1)
}

/** True if quoted words after a password's name are a passphrase, not a message about passwords ("must", "required"). */
export function isPassphrase(words: string, suspicion: Suspicion): boolean {
  if (suspicion !== "password" || words !== words.trim() || words.length < MIN_STRONG) return false
  if (BLANK.test(words) || REFERENCE.test(words)) return false
  const parts = words.split(" ")
  if (parts.length > MAX_WORDS) return false
  if (parts.some((part) => VERY_STRONG_PART.test(part))) return true
  if (WORD_FOR_IT.test(words) || MESSAGE.test(words)) return false
  return /^[a-z]{2,12}(?: [a-z]{2,12}){3,}$/.test(words) || parts.some((part) => STRONG_PART.test(part))
}

/** True if letters and digits alternate so often that a generator must have made the value. */
function isRandom(value: string, { letters, digits, joins }: Shape): boolean {
  if (value.length < MIN_TOKEN || letters === 0) return false
  return (digits > 0 || value.length >= 20) && joins >= Math.max(MIN_JOINS, value.length * MIN_JOINED_SHARE)
}

/** Whether the value only stands in for a secret: a variable, placeholder, path, URL, type, or a word such as `token`. */
function isStandIn(value: string, shape: Shape): boolean {
  if ([REFERENCE, CONSTANT, TYPE, METHOD, FILE].some((pattern) => pattern.test(value))) return true
  if (BLANK.test(value) || new Set(value.replaceAll(/[-_.]/g, "")).size <= 2) return true
  return WORD_FOR_IT.test(value) && shape.signs === 0 && !isRandom(value, shape)
}

/** Whether the value is made of words, as names are: `sha256-with-rsa`, `app.auth.token1`, `prod/db/main`. */
function isName(value: string, { signs, joins }: Shape): boolean {
  if (signs > 0) return false
  if (DATE_OR_VERSION.test(value)) return true
  return joins < MIN_JOINS - 1 && value.split(/[-_.:/@]+/).every((part) => NAME_PART.test(part))
}

interface Shape {
  letters: number
  digits: number
  /** How many characters are neither letters, digits nor used in names: `!`, `#`. */
  signs: number
  /** How often letters and digits, or lower and upper case, alternate; a capital as in `aWord` does not count. */
  joins: number
}

function shapeOf(value: string): Shape {
  const shape = { letters: 0, digits: 0, signs: 0, joins: 0 }
  let before: Class | undefined
  for (let at = 0; at < value.length; at++) {
    const now = classOf(value.charCodeAt(at))
    if (now === "digit") shape.digits++
    else if (now === "sign") shape.signs++
    else if (now !== "link") shape.letters++
    if (before !== undefined && isJoin(before, now, value, at)) shape.joins++
    before = now
  }
  return shape
}

function isJoin(before: Class, now: Class, value: string, at: number): boolean {
  if (before === now || before === "link" || now === "link") return false
  // Ordinary capitals, as in `Word` and `aWord`, do not count.
  if (before === "upper" && now === "lower") return false
  if (before === "lower" && now === "upper") return !/^[A-Z][a-z]{2}/.test(value.slice(at, at + 3))
  return true
}

type Class = "lower" | "upper" | "digit" | "link" | "sign"

function classOf(code: number): Class {
  // Letters beyond ASCII count as lower case: `Lösenord` is a word.
  if ((code >= 0x61 && code <= 0x7a) || code > 0x7f) return "lower"
  if (code >= 0x41 && code <= 0x5a) return "upper"
  if (code >= 0x30 && code <= 0x39) return "digit"
  return LINKS.includes(String.fromCharCode(code)) ? "link" : "sign"
}

const LINKS = "-_.:/@=+,~"
const MIN_LOGIN = 3
const MIN_PASSWORD = 6
const MIN_STRONG = 8
const MIN_TOKEN = 16
const MIN_JOINS = 4
const MIN_JOINED_SHARE = 0.2
const REFERENCE =
  /^(?:[$%<{[(*#@./~\\-]|(?:arn|npm|op|vault|env|file|ref|urn|sha\d+|ssm|keychain):)|[<>{}()]|\$[A-Za-z]|%(?:\w+%|[sdvq@])|:\/\/|\.{3}|…/
const CONSTANT = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/
const TYPE =
  /^(?:str(?:ing)?|bool(?:ean)?|number|int(?:eger)?|object|bytes|null|none|nil|true|false|undefined|required|optional|prompt|always|never)\b/i
const BLANK = word(
  "x{3,}|your?|my|some|change|changeme|change_?it|replace|insert|enter|example|sample|dummy|fake|mock(?:ed)?|tests?|testing|demo|placeholder|redacted|masked|hidden|removed|todo|foo|foobar|bar|baz|qux|invalid|wrong|this|self|process|config|not|wherever|whatever",
)
// Words that occur in the names of secrets: `old_token`, `db.password1`.
const WORD_FOR_IT = word(
  "secrets?|tokens?|passwords?|passwd|passphrase|passwort|pass|pwd|pw|api_?key|keys?|credentials?|values?|here|valid|old|new|env|user(?:name)?|default|auth|admin|root|guest|param|arg|field|input|hash",
)
const MESSAGE =
  /[.?:,;…]$|(?<![A-Za-z])(?:the|an?|is|are|was|be|been|has|have|must|should|may|can(?:not)?|could|do|does|did|will|if|when|for|with(?:out)?|from|to|in|of|on|at|as|by|and|or|no|too|it|its|please|forgot(?:ten)?|reset|confirm|again|match(?:es)?|incorrect|required|expired?|least|most|min(?:imum)?|max(?:imum)?|characters?|chars|digits?|letters?|symbols?|length|weak|strong|type|show|hide|set|get|login|log|sign|der|die|das|ist|und|oder|bitte|nicht|ein(?:e|en)?|mindestens|zeichen|vergessen)(?![A-Za-z])/i
const MAX_WORDS = 8
const PIN = /^\d{6,20}$/
// Has a letter, a digit and a sign: `M4y!`.
const VERY_STRONG_PART = /^(?=.*[A-Za-z])(?=.*\d)(?=.*[!#$%^&*~@+]).{4,}$/
// Has letters and a digit (`S3cret`), or letters and a sign at the end (`rain!`).
const STRONG_PART =
  /^(?=.*[A-Za-z])(?=.*\d).{3,}$|^[A-Za-z]{2,}[!#$%&*+^~@]{1,3}$|[!#$%^&*~].*\d|\d.*[!#$%^&*~]/
const METHOD =
  /^(?:sha|md|base|utf|iso|oauth|argon|pbkdf|rsa|aes|hmac|ed|es|hs|rs|ripemd|blake|crc|s?crypt|bcrypt|http|ipv|oidc|saml|totp|win|h|f|v)-?\d[\w-]{0,14}$/i
const FILE =
  /\.(?:[cm]?[jt]sx?|json|ya?ml|toml|pem|key|crt|cert|txt|env|md|py|go|rs|java|rb|php|sh|html?|css|p12|pfx|jks)$/i
const DATE_OR_VERSION = /^[\^~]?(?:\d{4}-\d\d-\d\d(?:[T ][\d:.,+Z-]*)?|v?\d+(?:\.\d+)+(?:[-+.][\w.-]*)?)$/
const NAME_PART =
  /^(?:[A-Za-z\u0080-\uffff]*\d{0,4}|\d{1,4}[A-Za-z]{0,8}|[A-Za-z]{1,8}\d{1,4}[A-Za-z]{1,12})$/

function word(words: string): RegExp {
  return new RegExp(`(?<![A-Za-z0-9])(?:${words})(?![A-Za-z])`, "i")
}
