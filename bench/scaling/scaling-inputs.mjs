/** Hostile input: by name, a function that makes a text of about that length. Here each repeats one piece of text. */
export function inputsOf(pieces) {
  return Object.fromEntries(pieces.map((piece) => [piece.slice(0, 30), (length) => repeated(piece, length)]))
}

// Whole pieces: half a piece may be a syntax error, which ends the work early.
const repeated = (piece, length) => piece.repeat(Math.floor(length / piece.length))
const names = (length, sign) => Array.from({ length: length / 7 }, (_, n) => `f${n}${sign}`).join(" ")

export const SECRETS = [
  ...["eyJ", "eyJaaaaaaaa.", "://a:", "-----BEGIN PRIVATE KEY-----", "sk-", "server=a;", "bearer ", "xoxb-"],
  ...[
    "sk-proj-",
    "password: ",
    "password=password",
    "token=a1B2",
    "--token ",
    "curl -u a:",
    "curl ",
    "mysql -p",
  ],
  ...["mysql", "cookie: ", "abcdefgh", "password of the house ", "machine a login b password "],
  ...['secret "value": \'', `api_key="${"a1".repeat(99)}`],
]

export const PATHS = ["*a", "a/", "**/", "{a,b}", "[a-c]", "{", "?*"]

export const MESSAGES = [
  ...["word ", " ", "\n", "first do the login, ", "> a\n", "switch to the login. ", "先做登录，"],
]

export const CHECKS = Object.fromEntries(
  [
    "{",
    "(",
    "'",
    '"',
    "npm test|",
    "npm test;",
    "a && ",
    "<<a\n",
    "bash -c 'npm test';",
    "if a; then ",
  ].flatMap((piece) =>
    ["", "env ", "set -e; "].map((start) => [start + piece, (length) => start + repeated(piece, length)]),
  ),
)

export const COMMANDS = {
  ...inputsOf([
    ...["cd a;", "pushd a;", "rm *a*;", "mv a b;", "ln -s a b;", "git -C a ", "find . -exec ", "eval "],
    ...["x=$x$x;", "{a,b}", "$(", "${", "$[", "$((", "echo a | ", ">a ", "'", '"$x" ', "a=b ", "f() { a; };"],
    ...["open('a','w')", "[a-c]*/", "a/../", "[ a ] && v=b; $v;", "if a; then v=b; fi; $v;"],
    ...["while a; do v=$v; done;", "a || b;", "cd a; cd b || c;", "pushd a; popd;"],
  ]),
  ...Object.fromEntries(
    ["mv", "ln -sf", "cp", "rm"].flatMap((program) =>
      ["", "*"].map((sign) => [
        `${program} f0${sign} f1${sign}…`,
        (length) => `${program} ${names(length, sign)} dst/`,
      ]),
    ),
  ),
  "blanks for psql": (length) => `psql db <<'EOF'\n${repeated(" \n", length)}EOF`,
  "lines for psql": (length) => `psql -c '${"\n".repeat(length)}'`,
  "blanks for ed": (length) => `ed -s f <<'EOF'\n${" ".repeat(length)}x\nEOF`,
  "blanks for vim": (length) => `vim -es -c '${" ".repeat(length)}x' f`,
  "blanks for sed": (length) => `sed -i '${" ".repeat(length)}x' f`,
  "blanks for perl": (length) => `perl -e 'open${" ".repeat(length)}x'`,
}
