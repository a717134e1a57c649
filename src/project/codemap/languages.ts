import { extname } from "node:path/posix"

/** How a language writes comments and strings: enough to tell one from the other. */
export interface Language {
  name: string
  /** Starts a comment that ends with its line. */
  line?: string
  /** Has block comments between slash and star. */
  hasBlocks?: boolean
  /** How a comment begins that documents what follows. */
  doc?: readonly string[]
  /** The longer ones first: `"""` before `"`. */
  strings: readonly StringSyntax[]
  /** A line comment needs a blank before it: `$#`, `http://`. */
  needsBlank?: boolean
  /** Block comments may contain block comments. */
  nests?: boolean
  /** A string right under a definition documents it. */
  docStrings?: boolean
}

export interface StringSyntax {
  begin: string
  end: string
  /** Backslashes are plain characters. */
  raw?: boolean
  /** Goes over several lines; otherwise the end of the line ends it. */
  multiline?: boolean
}

/** The language of a file by its extension; undefined where the code map does not read it. */
export function languageOf(path: string): Language | undefined {
  return BY_EXTENSION.get(extname(path).toLowerCase())
}

export function isScript(path: string): boolean {
  return /\.[cm]?[jt]sx?$/i.test(path)
}

/** A Vue or Svelte file: markup with scripts in it. */
export function isComponent(path: string): boolean {
  return /\.(?:vue|svelte)$/i.test(path)
}

const DOUBLE = { begin: '"', end: '"' }
const SINGLE = { begin: "'", end: "'" }
const BACKTICK = { begin: "`", end: "`", multiline: true }
const TRIPLE_DOUBLE = { begin: '"""', end: '"""', multiline: true }
const TRIPLE_SINGLE = { begin: "'''", end: "'''", multiline: true }

const C: Language = { name: "C", line: "//", hasBlocks: true, strings: [DOUBLE, SINGLE] }
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
  // A single quote may start a character or a lifetime: the lexer tells them apart.
  strings: [
    { begin: 'r##"', end: '"##', raw: true, multiline: true },
    { begin: 'r#"', end: '"#', raw: true, multiline: true },
    { ...DOUBLE, multiline: true },
  ],
  nests: true,
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
  // Its strings depend on where they stand: the comments come from a YAML parser.
  [".yml .yaml", { name: "YAML", line: "#", strings: [] }],
  [".css", { name: "CSS", hasBlocks: true, strings: [DOUBLE, SINGLE] }],
  [".scss .less", { ...C, name: "CSS", needsBlank: true }],
]
const BY_EXTENSION = new Map(
  LANGUAGES.flatMap(([extensions, language]) =>
    extensions.split(" ").map((extension) => [extension, language] as const),
  ),
)
