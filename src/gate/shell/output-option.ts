import { posix } from "node:path"
import { setOf } from "./options.ts"
import { isInHive, resolvePath } from "./paths.ts"
import type { Call } from "./program.ts"
import { judgeReplacement } from "./replaces.ts"

/**
 * Most programs say `-o` or `--output` for the file that they write. What else it may mean (a format, a setting) is no file
 * that is there, so nobody is asked about it. A file that the command names a second time is most likely read first: then it
 * is an edit.
 */
export function judgeOutput({ name, args, frame, run }: Call): void {
  const words = args.slice(0, MAX_WORDS)
  let left = MAX_OUTPUTS
  for (const [at, arg] of words.entries()) {
    const [, option, glued] = OUTPUT.exec(arg) ?? []
    if (option === undefined || left-- <= 0) continue
    const value = glued ?? words[at + 1] ?? ""
    if (value === "" || value.startsWith("-")) continue
    // What a compiler has made it makes again; over anything else it is a slip.
    if (COMPILERS.has(posix.basename(name)) && PRODUCT.test(value)) continue
    const path = resolvePath(value, frame, run)
    const isValue = (n: number) => n === at || (glued === undefined && n === at + 1)
    if (words.some((word, n) => !isValue(n) && resolvePath(word, frame, run) === path)) continue
    if (isInHive(path)) run.writes(value, frame)
    judgeReplacement(value, frame, run)
  }
}

const OUTPUT = /^(-o|--?out(?:put)?(?:[-_]?(?:[fF]ile|[pP]ath))?|--result-file)(?:=(.*))?$/s
const COMPILERS = setOf(
  "gcc g++ cc c++ clang clang++ ld lld rustc go swiftc nvcc gfortran ghc zig javac kotlinc tsc esbuild swc ar as nasm",
)
const PRODUCT = /(?:^|\/)[^/.]+$|\.(?:o|a|so|lib|dll|dylib|exe|out|bin|wasm|class|jar|js|mjs|cjs|css|map)$/i
const MAX_WORDS = 500
const MAX_OUTPUTS = 4
