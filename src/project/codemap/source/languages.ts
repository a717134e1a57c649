import { extname } from "node:path/posix"

/** How a language writes comments and strings; enough to tell one from the other. */
export interface Language {
  name: string
  /** Begins a comment that ends with its line. */
  line: readonly string[]
  /** Begin and end of a comment over lines. */
  block: readonly (readonly [string, string])[]
  /** What a comment's `line` begins with where it describes what follows. */
  doc?: readonly string[]
  /** Begin and end of a text; the escape is a backslash unless it is `raw`. Longer ones first. */
  strings: readonly Text[]
  /** A line comment only counts at the start of a line or after a blank: `$#`, `http://`, `a#b`. */
  needsBlank?: boolean
  /** Comments within comments. */
  nests?: boolean
  /** A text that begins the statement right under a definition describes it. */
  docStrings?: boolean
}

interface Text {
  begin: string
  end: string
  raw?: boolean
  /** It goes over lines; else its line ends it, closed or not. */
  spans?: boolean
}

/** The language of a file by its name; undefined where it is none of those that are read. */
export function languageOf(path: string): Language | undefined {
  return BY_ENDING.get(extname(path).toLowerCase())
}

/** Read through a parser where there is one. */
export function isScript(path: string): boolean {
  return SCRIPT.test(path)
}

const SCRIPT = /\.[cm]?[jt]sx?$/i
const DOUBLE: Text = { begin: '"', end: '"' }
const SINGLE: Text = { begin: "'", end: "'" }
const C_BLOCK = [["/*", "*/"]] as const

const SCRIPTS: Language = {
  name: "JavaScript",
  line: ["//"],
  block: C_BLOCK,
  doc: ["/**"],
  strings: [DOUBLE, SINGLE, { begin: "`", end: "`", spans: true }],
}
const C: Language = {
  name: "C",
  line: ["//"],
  block: C_BLOCK,
  doc: ["/**", "///", "/*!", "//!"],
  strings: [DOUBLE, SINGLE],
}
// Its texts are told by where they stand: see yaml-comments.ts.
const YAML: Language = { name: "YAML", line: ["#"], block: [], strings: [] }
const SHELL: Language = {
  name: "shell",
  line: ["#"],
  block: [],
  strings: [
    { ...DOUBLE, spans: true },
    { ...SINGLE, raw: true, spans: true },
  ],
  needsBlank: true,
}

const LANGUAGES: readonly (readonly [string, Language])[] = [
  [".ts .tsx .mts .cts", { ...SCRIPTS, name: "TypeScript" }],
  [".js .jsx .mjs .cjs", SCRIPTS],
  [".vue", { ...SCRIPTS, name: "Vue" }],
  [".svelte", { ...SCRIPTS, name: "Svelte" }],
  [
    ".py .pyi",
    {
      name: "Python",
      line: ["#"],
      block: [],
      strings: [
        { begin: '"""', end: '"""', spans: true },
        { begin: "'''", end: "'''", spans: true },
        DOUBLE,
        SINGLE,
      ],
      docStrings: true,
    },
  ],
  [
    ".go",
    {
      ...C,
      name: "Go",
      doc: [],
      strings: [DOUBLE, SINGLE, { begin: "`", end: "`", raw: true, spans: true }],
    },
  ],
  [
    ".rs",
    {
      name: "Rust",
      line: ["//"],
      block: C_BLOCK,
      doc: ["///", "//!", "/**"],
      // A single quote is a character or a lifetime: told apart by the lexer.
      strings: [
        { begin: 'r##"', end: '"##', raw: true, spans: true },
        { begin: 'r#"', end: '"#', raw: true, spans: true },
        { ...DOUBLE, spans: true },
      ],
      nests: true,
    },
  ],
  [
    ".java",
    {
      ...C,
      name: "Java",
      doc: ["/**"],
      strings: [{ begin: '"""', end: '"""', spans: true }, DOUBLE, SINGLE],
    },
  ],
  [".c .h", C],
  [".cc .cpp .cxx .hpp .hh .hxx", { ...C, name: "C++" }],
  [".sh .bash .zsh", SHELL],
  [".yml .yaml", YAML],
  [".css", { name: "CSS", line: [], block: C_BLOCK, strings: [DOUBLE, SINGLE] }],
  [".scss .less", { name: "CSS", line: ["//"], block: C_BLOCK, strings: [DOUBLE, SINGLE], needsBlank: true }],
]
const BY_ENDING = new Map(
  LANGUAGES.flatMap(([endings, language]) => endings.split(" ").map((ending) => [ending, language] as const)),
)
