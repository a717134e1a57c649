/** True if two normalised paths or patterns could match the same path. A folder matches everything in it. */
export function pathsMeet(a: string, b: string): boolean {
  // Relative paths are not compared here, because one may begin with `./` and still be the same.
  if (a.startsWith("/") && b.startsWith("/") && differBeforeWildcard(a, b)) return false
  return alternatives(a).some((one) => alternatives(b).some((other) => segmentListsMeet(one, other)))
}

export function isGlob(path: string): boolean {
  return /[*?[{]/.test(path)
}

/** Like `pathsMeet`, for two names without slashes. */
export function segmentsMeet(a: string, b: string): boolean {
  if (a === b) return true
  if (!isGlob(a) && !isGlob(b)) return false
  if (a.length * b.length > MAX_WORK) return true
  if (differBeforeWildcard(a, b)) return false
  const [left, right] = [tokensOf(a), tokensOf(b)]
  return meets({
    size: [left.length, right.length],
    isAny: [(i) => left[i] === ANY_TEXT, (j) => right[j] === ANY_TEXT],
    mayEnd: [false, false],
    isSame: (i, j) => couldBeSame(left[i], right[j]),
  })
}

function differBeforeWildcard(a: string, b: string): boolean {
  const end = Math.min(a.length, b.length)
  for (let at = 0; at < end; at++) {
    const one = a.charAt(at)
    const isSame = a.charCodeAt(at) === b.charCodeAt(at)
    if (WILDCARDS.includes(one) || (!isSame && WILDCARDS.includes(b.charAt(at)))) return false
    if (!isSame) return true
  }
  return false
}

function segmentListsMeet(a: string, b: string): boolean {
  const [left, right] = [segmentsOf(a), segmentsOf(b)]
  if (a.length * b.length > MAX_WORK && (isGlob(a) || isGlob(b))) return true
  const mayEnd: [boolean, boolean] = [couldBeFolder(left.at(-1)), couldBeFolder(right.at(-1))]
  // Names before the first wildcard must be equal.
  let same = 0
  for (; same < Math.min(left.length, right.length); same++) {
    const [one = "", other = ""] = [left[same], right[same]]
    if (isGlob(one) || isGlob(other)) break
    if (one !== other) return false
  }
  left.splice(0, same)
  right.splice(0, same)
  return meets({
    size: [left.length, right.length],
    isAny: [(i) => left[i] === "**", (j) => right[j] === "**"],
    mayEnd,
    isSame: (i, j) => segmentsMeet(left[i] ?? "", right[j] ?? ""),
  })
}

/** Two lists of pieces (path segments or characters) that are compared: the left and the right one. */
interface Meeting {
  size: [number, number]
  /** Whether a piece matches any number of pieces: `**`, or `*` in a name. */
  isAny: [(i: number) => boolean, (j: number) => boolean]
  /** Whether a list may end before the other one: a folder matches everything in it. */
  mayEnd: [boolean, boolean]
  isSame: (i: number, j: number) => boolean
}

/** Dynamic programming from the ends: `row[j]` is 1 if left from i and right from j can match. */
function meets({ size: [lefts, rights], isAny, mayEnd, isSame }: Meeting): boolean {
  let below = new Uint8Array(rights + 1)
  for (let i = lefts; i >= 0; i--) {
    const row = new Uint8Array(rights + 1)
    for (let j = rights; j >= 0; j--) {
      const [leftEnds, rightEnds] = [i === lefts, j === rights]
      const isMet =
        (leftEnds && (rightEnds || mayEnd[0])) ||
        (rightEnds && mayEnd[1]) ||
        (!leftEnds && isAny[0](i) && (below[j] === 1 || (!rightEnds && row[j + 1] === 1))) ||
        (!rightEnds && isAny[1](j) && (row[j + 1] === 1 || (!leftEnds && below[j] === 1))) ||
        (!leftEnds && !rightEnds && below[j + 1] === 1 && isSame(i, j))
      row[j] = isMet ? 1 : 0
    }
    below = row
  }
  return below[0] === 1
}

/** A name without a file extension may be a folder. An empty path is the project folder. */
function couldBeFolder(last: string | undefined): boolean {
  return last === undefined || !last.slice(1).includes(".")
}

type Token = string | typeof ANY_TEXT | typeof ANY_CHAR | ((char: string) => boolean)

function tokensOf(segment: string): Token[] {
  const tokens: Token[] = []
  for (let at = 0; at < segment.length; at++) {
    const char = segment[at] ?? ""
    if (char === "*") {
      if (tokens.at(-1) !== ANY_TEXT) tokens.push(ANY_TEXT)
    } else if (char === "?") tokens.push(ANY_CHAR)
    else if (char === "[") {
      const end = segment.indexOf("]", at + 2)
      if (end === -1) tokens.push(char)
      else {
        tokens.push(setToken(segment.slice(at + 1, end)))
        at = end
      }
    } else tokens.push(char)
  }
  return tokens
}

/** Parses `[a-c]` and `[!a]`. A class such as `[[:alpha:]]` counts as any character. */
function setToken(inside: string): Token {
  if (inside.includes("[")) return ANY_CHAR
  const isNot = /^[!^]/.test(inside)
  const chars = isNot ? inside.slice(1) : inside
  return (char) => {
    let isIn = false
    for (let at = 0; at < chars.length; at++) {
      const from = chars[at] ?? ""
      const isRange = chars[at + 1] === "-" && at + 2 < chars.length
      const to = isRange ? (chars[at + 2] ?? "") : from
      if (char >= from && char <= to) isIn = true
      if (isRange) at += 2
    }
    return isIn !== isNot
  }
}

function couldBeSame(a: Token | undefined, b: Token | undefined): boolean {
  if (typeof a === "string") return typeof b === "string" ? a === b : typeof b === "function" ? b(a) : true
  return typeof b === "string" && typeof a === "function" ? a(b) : true
}

function segmentsOf(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "" && segment !== ".")
}

/** Expands braces: `{a,b}/c` → `a/c` and `b/c`. With too many results, returns only their common folder. */
function alternatives(path: string): string[] {
  const done: string[] = []
  const open = [path]
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const end = one.indexOf("}")
    const start = end === -1 ? -1 : one.lastIndexOf("{", end)
    if (start === -1) done.push(one)
    else {
      const choices = one.slice(start + 1, end).split(",")
      for (const choice of choices) open.push(one.slice(0, start) + choice + one.slice(end + 1))
    }
    if (done.length + open.length > MAX_ALTERNATIVES)
      return [path.slice(0, path.lastIndexOf("/", path.indexOf("{")) + 1)]
  }
  return done
}

const WILDCARDS = "*?[{"
const ANY_TEXT = Symbol("*")
const ANY_CHAR = Symbol("?")
const MAX_WORK = 1_000_000
const MAX_ALTERNATIVES = 64
