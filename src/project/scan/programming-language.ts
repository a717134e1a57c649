/** The programming language of a file by its name; undefined for data, documents and generated files. */
export function languageOf(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1)
  if (/\.(min|bundle)\.(js|css)$/.test(name)) return undefined
  const dot = name.lastIndexOf(".")
  return BY_NAME.get(name) ?? (dot < 0 ? undefined : BY_ENDING.get(name.slice(dot + 1).toLowerCase()))
}

/** Styles, pages and build files: often most of the lines, and not what a project is written in. */
export function isSecondary(language: string): boolean {
  return SECONDARY.has(language)
}

const SECONDARY = new Set(["CSS", "HTML", "SQL", "Make", "Docker", "Just", "CMake", "Shell", "PowerShell"])
const BY_NAME = new Map(
  Object.entries({
    ...{ Makefile: "Make", Dockerfile: "Docker", justfile: "Just", "CMakeLists.txt": "CMake" },
    ...{ Rakefile: "Ruby", Gemfile: "Ruby" },
  }),
)
const ENDINGS = `TypeScript: ts tsx mts cts; JavaScript: js jsx mjs cjs; Python: py pyi; Go: go; Rust: rs; Java: java;
  Kotlin: kt kts; Scala: scala sc; Groovy: groovy gradle; C: c h; C++: cc cpp cxx hpp hh hxx; C#: cs; F#: fs;
  Swift: swift; Objective-C: m mm; Ruby: rb rake; PHP: php; Elixir: ex exs; Erlang: erl; Haskell: hs; OCaml: ml mli;
  Clojure: clj cljs cljc; Dart: dart; Lua: lua; Perl: pl pm; R: r; Julia: jl; Zig: zig; Nim: nim;
  Shell: sh bash zsh fish; PowerShell: ps1 psm1; SQL: sql; GraphQL: graphql gql; Protobuf: proto; HTML: html htm;
  CSS: css scss sass less; Vue: vue; Svelte: svelte; Astro: astro; Terraform: tf; Nix: nix; Solidity: sol`
const BY_ENDING = new Map(
  ENDINGS.split(/;\s+/).flatMap((entry) => {
    const [language = "", endings = ""] = entry.split(": ")
    return endings.split(" ").map((ending) => [ending, language] as const)
  }),
)
