/** What the parser gives back, as far as it is used. */
export interface Parsed {
  /** The tree: made when it is first asked for, which takes longer than all else. */
  program: unknown
  comments: readonly { type: "Line" | "Block"; value: string; start: number; end: number }[]
  errors: readonly { message: string }[]
  module: {
    staticImports: readonly StaticImport[]
    staticExports: readonly StaticExport[]
    dynamicImports: readonly { moduleRequest: Span; start: number }[]
  }
}

interface Span {
  start: number
  end: number
}

interface StaticImport extends Span {
  moduleRequest: Request
  entries: readonly { isType: boolean }[]
}

export interface StaticExport extends Span {
  entries: readonly {
    moduleRequest: Request | null
    exportName: { name: string | null; kind: string }
    localName: { name: string | null }
    isType: boolean
  }[]
}

interface Request extends Span {
  value: string
}
