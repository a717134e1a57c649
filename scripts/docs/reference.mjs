// Pages made of the code: what the command line, the tools, the options, the API and each client of MCP are.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { z } from "zod"

/** The Markdown of each page, by the path that its source would have. */
export async function referencePages(root) {
  const load = (path) => import(pathToFileURL(join(root, "build", path)).href)
  const { readCommands } = await load("cli/completion.js")
  const { tools } = await load("tools/index.js")
  const { config } = await load("schemas/config.js")
  const { MCP_CLIENTS } = await load("cli/install/mcp-clients.js")
  const types = readFileSync(join(root, "dist", "types", "api.d.ts"), "utf8")
  return new Map([
    ["docs/reference/commands.md", commandsPage(await readCommands())],
    ["docs/reference/tools.md", toolsPage(tools)],
    ["docs/reference/configuration.md", configurationPage(z.toJSONSchema(config, { io: "input" }))],
    ["docs/reference/api.md", apiPage(types)],
    ...MCP_CLIENTS.map((client) => [`docs/hosts/${client.name}.md`, clientPage(client)]),
  ])
}

function commandsPage(commands) {
  const parts = commands.map(({ name, summary, command }) => {
    const given = command.registeredArguments.map((each) =>
      each.required ? `<${each.name()}>` : `[${each.name()}]`,
    )
    const rows = [
      ...command.registeredArguments.map((each) => [code(each.name()), each.description]),
      ...command.options.map(({ flags, description, argChoices, defaultValue }) => [
        code(flags),
        [
          description,
          ...(argChoices ? [argChoices.map(code).join(", ")] : []),
          ...(defaultValue === undefined || defaultValue === true ? [] : [`default ${code(defaultValue)}`]),
        ].join("; "),
      ]),
    ]
    return `## hivemind ${name}\n\n${sentence(summary)}\n\n\`\`\`sh\n${["hivemind", name, ...given].join(" ")}\n\`\`\`\n\n${table(["argument or option", "what it does"], rows)}`
  })
  return `# Commands\n\nMade from the command line itself; \`hivemind help <command>\` shows the same.\n\n${parts.join("\n\n")}\n`
}

function toolsPage(tools) {
  const parts = tools.map((tool) => {
    const { properties = {}, required = [] } = tool.schema()
    const rows = Object.entries(properties).map(([name, each]) => [
      code(name),
      typeText(each),
      required.includes(name) ? "yes" : "",
      each.description ?? "",
    ])
    return `## ${tool.name}\n\n${tool.description}\n\n${table(["argument", "type", "required", "what it is"], rows)}`
  })
  return `# Tools\n\nWhat the model is shown of each tool. Lengths and patterns are checked with each call, and an error says what would do.\n\n${parts.join("\n\n")}\n`
}

function configurationPage({ properties }) {
  const rowsOf = (all, above = "") =>
    Object.entries(all).flatMap(([name, each]) => {
      if (name === "$schema") return []
      if (each.properties !== undefined) return rowsOf(each.properties, `${above}${name}.`)
      const value = JSON.stringify(each.default, null, 1).replaceAll(/\s+/g, " ")
      const about = each.enum === undefined ? `A ${typeText(each)}.` : `One of ${typeText(each)}.`
      return [[code(above + name), `${each.description ?? ""} ${about}`, code(value)]]
    })
  return `# Configuration\n\nEvery option, with its default. They are in \`.hivemind/system/config.json\`; \`hivemind config\` says where each one is set, and [the README](../../README.md#configuration) which file wins.\n\n${table(["option", "what it does", "default"], rowsOf(properties))}\n`
}

function apiPage(types) {
  const rows = callsIn(types).map(({ name, args, about }) => [code(`${name}${args}`), about])
  return `# API\n\nThe calls of what \`openHive(dir)\` of \`hivemind-opencode/api\` returns; [the README](../../README.md#for-programs) shows some at work, and the package has the types of all records. A call that fails throws a \`HiveError\`.\n\n${table(["call", "what it does"], rows)}\n`
}

/** Every function in the type that openHive returns, with the comment above it. */
export function callsIn(types) {
  const start = types.indexOf("export declare function openHive(")
  const lines = types.slice(types.indexOf("\n", start)).split(/\r?\n/).slice(1)
  const calls = []
  let [group, depth, about] = ["", 0, ""]
  for (const line of lines) {
    if (depth === 0 && line.startsWith("}>")) break
    const [, name, args] = /^(\w+)(?:: )?(\(.*?\))(?: =>|:) /.exec(line) ?? []
    const [, opened] = /^(\w+): \{$/.exec(line) ?? []
    const isCall = name !== undefined && (depth === 0 || (depth === 1 && group !== ""))
    if (isCall)
      calls.push({
        name: depth === 0 ? name : `${group}.${name}`,
        args: args.replace("...none: []", ""),
        about,
      })
    if (depth === 0 && opened !== undefined) group = opened
    if (/^(?:\/\*\*|\*)/.test(line)) {
      const said = line.replace(/^\/?\*+\/?|\*\/$/g, "").trim()
      about = line.startsWith("/**") ? said : `${about} ${said}`.trim()
    } else about = ""
    depth += count(line, "{") - count(line, "}")
    if (depth === 0 && opened === undefined) group = ""
  }
  return calls
}

function clientPage({ name, title, file, format, note }) {
  const entry = { command: "node", args: ["…/hivemind-opencode/dist/cli/main.js", "mcp"] }
  const shown =
    format === "toml"
      ? `[mcp_servers.hivemind]\ncommand = "node"\nargs = ${JSON.stringify(entry.args)}`
      : JSON.stringify(
          { [format.json]: { hivemind: { ...(format.type && { type: format.type }), ...entry } } },
          null,
          2,
        )
  const list = [
    `\`hivemind init --mcp ${name}\` writes our server into \`${file}\` of the project; \`hivemind uninstall\` takes it out.`,
    ...(note === undefined ? [] : [note]),
    `The state comes with the first reply of a session and, where it changed, with later ones. Tools, recall and the gate are those of OpenCode.`,
    `What ${title} does with its own tools is seen afterwards where it speaks MCP alone: see [the limits](../hosts.md#agents-that-speak-mcp).`,
  ]
  return `# ${title}\n\n\`\`\`sh\ncd your-project\nhivemind init --mcp ${name}\nhivemind doctor\n\`\`\`\n\n${list.map((each) => `- ${each}`).join("\n")}\n\nThe entry, with the path of your copy:\n\n\`\`\`${format === "toml" ? "toml" : "json"}\n${shown}\n\`\`\`\n`
}

function typeText({ type, enum: values, items, anyOf }) {
  if (values !== undefined) return values.map((each) => code(each)).join(", ")
  if (anyOf !== undefined) return anyOf.map(typeText).join(" or ")
  return type === "array" ? `list of ${typeText(items ?? {}) || "values"}` : (type ?? "any")
}

function table(heads, rows) {
  const line = (cells) =>
    `| ${cells.map((cell) => String(cell).replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`
  return [line(heads), line(heads.map(() => "---")), ...rows.map(line)].join("\n")
}

function code(text) {
  return `\`${text}\``
}

function sentence(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

function count(text, letter) {
  return text.split(letter).length - 1
}
