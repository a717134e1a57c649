import { expect, it } from "vitest"
import { languageOf } from "../../../src/project/codemap/languages.ts"
import { plainFacts } from "../../../src/project/codemap/read-files.ts"

function todosIn(path: string, text: string): string[] {
  const language = languageOf(path)
  if (language === undefined) throw new Error(path)
  return plainFacts(text, language).todos.map(({ line, tag, text: said }) => `${line} ${tag} ${said}`)
}

it.each([
  ["a.py", "s = \"# TODO: no\"\nt = '''\n# TODO: no\n'''\n# TODO: yes\n", ["5 TODO yes"]],
  [
    "a.go",
    's := `// TODO: no`\nt := "// TODO: no"\n// TODO: yes\n/* FIXME: too */\n',
    ["3 TODO yes", "4 FIXME too"],
  ],
  [
    "a.rs",
    "let s = r#\"// TODO: no\"#; let c = '\"'; // HACK: yes\nfn f<'a>(x: &'a str) {} // NOTE: b\n/* /* */ TODO: nested */\n",
    ["1 HACK yes", "2 NOTE b", "3 TODO nested"],
  ],
  [
    "A.java",
    'String s = "/* TODO: no */"; char c = \'"\';\n/* TODO: yes\n * FIXME: and */\n',
    ["2 TODO yes", "3 FIXME and"],
  ],
  ["a.c", '#define URL "http://TODO: no"\nint a; // TODO yes\n', ["2 TODO yes"]],
  [
    "a.sh",
    "echo \"# TODO: no\" '# TODO: no' $# # TODO: yes\ncat <<EOF\n# TODO: no\nEOF\n# FIXME: b\n",
    ["1 TODO yes", "5 FIXME b"],
  ],
  ["a.yml", 'a: "# TODO: no"\nb: x#TODO: no\nc: 1 # TODO: yes\n', ["3 TODO yes"]],
  ["a.yml", "it: it's\n# TODO: yes\n- don't # FIXME: b\n", ["2 TODO yes", "3 FIXME b"]],
  ["a.css", 'a { content: "/* TODO: no */" } /* TODO: yes */', ["1 TODO yes"]],
])("comments of %s are told from strings", (path, text, expected) => {
  expect(todosIn(path, text)).toEqual(expected)
})

it("a sentence that mentions todos is not a todo", () => {
  expect(todosIn("a.go", "// This lists the TODO and FIXME comments of a file.\n// a todo list\n")).toEqual(
    [],
  )
})
