import { extname } from "node:path/posix"

export interface Language {
  name: string
  line?: string
  hasBlockComments?: boolean
  doc?: readonly string[]
  /** Longer marks come first: `"""` before `"`. */
  strings: readonly StringSyntax[]
  /** A line comment only starts after whitespace, so that `$#` and `http://` do not start one. */
  needsBlank?: boolean
  canNest?: boolean
  /** A string right below a definition documents it, as in Python. */
  docStrings?: boolean
}

export interface StringSyntax {
  begin: string
  end: string
  /** True if a backslash in the string escapes nothing. */
  raw?: boolean
  /** The string may span several lines; otherwise it ends with its line at the latest. */
  multiline?: boolean
}

export function languageOf(path: string): Language | undefined {
  return BY_EXTENSION.get(extname(path).toLowerCase())
}

export function isScript(path: string): boolean {
  return /\.[cm]?[jt]sx?$/i.test(path)
}

export function isComponent(path: string): boolean {
  return /\.(?:vue|svelte)$/i.test(path)
}

const DOUBLE = { begin: '"', end: '"' }
const SINGLE = { begin: "'", end: "'" }
const BACKTICK = { begin: "`", end: "`", multiline: true }
const TRIPLE_DOUBLE = { begin: '"""', end: '"""', multiline: true }
const TRIPLE_SINGLE = { begin: "'''", end: "'''", multiline: true }

const C: Language = { name: "C", line: "//", hasBlockComments: true, strings: [DOUBLE, SINGLE] }
const DOXYGEN = { doc: ["/**", "///", "/*!", "//!"] }
const SCRIPT: Language = { ...C, name: "JavaScript", doc: ["/**"], strings: [DOUBLE, SINGLE, BACKTICK] }
const PYTHON: Language = {
  name: "Python",
  line: "#",
  strings: [TRIPLE_DOUBLE, TRIPLE_SINGLE, DOUBLE, SINGLE],
  docStrings: true,
}
const RUST: Language = {
  ...C,
  name: "Rust",
  doc: ["///", "//!", "/**"],
  // Rust: a single quote can also start a lifetime (`'a`), so it is not listed. `marksOf` matches character literals.
  strings: [
    { begin: 'r##"', end: '"##', raw: true, multiline: true },
    { begin: 'r#"', end: '"#', raw: true, multiline: true },
    { ...DOUBLE, multiline: true },
  ],
  canNest: true,
}
const SHELL: Language = {
  name: "shell",
  line: "#",
  strings: [
    { ...DOUBLE, multiline: true },
    { ...SINGLE, raw: true, multiline: true },
  ],
  needsBlank: true,
}

const LANGUAGES: readonly (readonly [extensions: string, Language])[] = [
  [".ts .tsx .mts .cts", { ...SCRIPT, name: "TypeScript" }],
  [".js .jsx .mjs .cjs", SCRIPT],
  [".vue", { ...SCRIPT, name: "Vue" }],
  [".svelte", { ...SCRIPT, name: "Svelte" }],
  [".py .pyi", PYTHON],
  [".go", { ...C, name: "Go", strings: [DOUBLE, SINGLE, { ...BACKTICK, raw: true }] }],
  [".rs", RUST],
  [".java", { ...C, name: "Java", doc: ["/**"], strings: [TRIPLE_DOUBLE, DOUBLE, SINGLE] }],
  [".c .h", { ...C, ...DOXYGEN }],
  [".cc .cpp .cxx .hpp .hh .hxx", { ...C, ...DOXYGEN, name: "C++" }],
  [".sh .bash .zsh", SHELL],
  // An apostrophe in YAML rarely starts a string ("it's"), so single quotes are not listed.
  [".yml .yaml", { name: "YAML", line: "#", strings: [DOUBLE], needsBlank: true }],
  [".css", { name: "CSS", hasBlockComments: true, strings: [DOUBLE, SINGLE] }],
  [".scss .less", { ...C, name: "CSS", needsBlank: true }],
]
const BY_EXTENSION = new Map(
  LANGUAGES.flatMap(([extensions, language]) =>
    extensions.split(" ").map((extension) => [extension, language] as const),
  ),
)
