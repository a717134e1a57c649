/** What a host needs of the code map, in one piece: it is loaded after the first change of a file. */
export { lookInto } from "./code-look.ts"
export { codeMapOf } from "./code-map.ts"
export { hasParser } from "./parser.ts"
