// The imports between a project's files, each as "from -> to". Arguments: who is asked (ts-morph or ours), the folder, the peers.
import { execFileSync } from "node:child_process"
import { existsSync, realpathSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, relative, sep } from "node:path"

const [, , who, dir, peers] = process.argv
const root = realpathSync(dir)
console.log(JSON.stringify(who === "ours" ? await ours() : byCompiler()))

async function ours() {
  const { openHive } = await import("../../build/api/open-hive.js")
  const hive = await openHive(root)
  const { edges } = await hive.codemap.scan()
  return edges.map(({ from, to }) => `${from} -> ${to}`)
}

/** What TypeScript's own parser finds, and where TypeScript itself would look for it. */
function byCompiler() {
  const morph = createRequire(join(peers, "package.json"))("ts-morph")
  const listed = execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 })
  const files = new Set(listed.split("\0").filter((path) => path !== "" && existsSync(join(root, path))))
  const edges = new Set()
  const projects = new Map()
  for (const path of files) {
    if (!/\.[cm]?[jt]sx?$/.test(path)) continue
    const project = projectFor(morph, projects, path)
    const source = project.addSourceFileAtPath(join(root, path))
    for (const spec of specifiersIn(source, morph)) {
      const found = morph.ts.resolveModuleName(
        spec,
        source.getFilePath(),
        project.getCompilerOptions(),
        morph.ts.sys,
      ).resolvedModule
      const to = found && relative(root, realpathSync(found.resolvedFileName)).split(sep).join("/")
      if (to !== undefined && to !== path && files.has(to)) edges.add(`${path} -> ${to}`)
    }
    project.removeSourceFile(source)
  }
  return [...edges]
}

/** With the options of the nearest tsconfig.json or jsconfig.json. */
function projectFor({ Project, ts }, known, path) {
  let folder = dirname(path)
  const configIn = () =>
    ["tsconfig.json", "jsconfig.json"].map((name) => join(root, folder, name)).find(existsSync)
  while (folder !== "." && configIn() === undefined) folder = dirname(folder)
  const config = configIn() ?? ""
  if (!known.has(config)) {
    const compilerOptions = { allowJs: true, noResolve: true }
    const lone = { skipAddingFilesFromTsConfig: true, skipFileDependencyResolution: true }
    const plain = {
      ...compilerOptions,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
    }
    try {
      known.set(
        config,
        existsSync(config)
          ? new Project({ ...lone, tsConfigFilePath: config, compilerOptions })
          : new Project({ ...lone, compilerOptions: plain }),
      )
    } catch {
      known.set(config, new Project({ ...lone, compilerOptions: plain })) // It extends one that is not installed.
    }
  }
  return known.get(config)
}

function* specifiersIn(source, { SyntaxKind, Node }) {
  for (const each of [...source.getImportDeclarations(), ...source.getExportDeclarations()]) {
    const spec = each.getModuleSpecifierValue()
    if (spec !== undefined) yield spec
  }
  for (const call of source.getDescendantsOfKind(SyntaxKind.CallExpression)) {
    const called = call.getExpression()
    const isImport = called.getKind() === SyntaxKind.ImportKeyword || called.getText() === "require"
    const [first] = call.getArguments()
    if (isImport && (Node.isStringLiteral(first) || Node.isNoSubstitutionTemplateLiteral(first)))
      yield first.getLiteralText()
  }
  for (const type of source.getDescendantsOfKind(SyntaxKind.ImportType)) {
    const literal = type.getArgument().getLiteral?.()
    if (Node.isStringLiteral(literal)) yield literal.getLiteralText()
  }
  for (const each of source.getDescendantsOfKind(SyntaxKind.ImportEqualsDeclaration)) {
    const from = each.getModuleReference()
    const expression = Node.isExternalModuleReference(from) ? from.getExpression() : undefined
    if (Node.isStringLiteral(expression)) yield expression.getLiteralText()
  }
}
