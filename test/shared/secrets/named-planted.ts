import { random } from "./planted.ts"

const HEX = "0123456789abcdef"

/** Secrets that have no recognisable shape, each with the text around it. `§` stands for the secret. */
const SURROUNDINGS: Readonly<Record<"password" | "word" | "token", readonly string[]>> = {
  /** Passwords with letters, digits and signs. */
  password: [
    '{"host": "db1", "user": "app", "password": "§", "port": 5432}',
    "db:\n  host: db1\n  password: §\n  pool: 5",
    "database:\n  user: app\n  password: '§'  # rotated in May",
    "[client]\nuser = root\npassword = §\nsocket = /tmp/s",
    "spring.datasource.username=app\nspring.datasource.password=§\n",
    "mysqldump --user=app --password=§ shop > shop.sql",
    "pg_dump --username app --password § shop",
    "curl -u ann:§ https://ci.example.com/job/1",
    "curl -sS --user 'ann:§' https://ci.example.com/api",
    "curl -X POST \\\n  -u ann:§ \\\n  https://ci.example.com/api",
    "mysql -h db1 -uroot -p§ shop -e 'select 1'",
    "sshpass -p '§' ssh deploy@web1 uptime",
    "redis-cli -h cache -a § ping",
    "docker login registry.example.com -u ann -p §",
    "machine git.example.com login ann password §",
    "machine git.example.com\n  login ann\n  password §\n",
    "PGPASSWORD=§ psql -h db1 -U app shop",
    "export SMTP_PASS='§'",
    "DATABASE_URL=postgres://app:§@db1:5432/shop",
    "git clone https://ann:§@git.example.com/shop.git",
    "    - name: DB_PASSWORD\n      value: §\n    - name: DB_HOST",
    '{"name": "DB_PASSWORD", "value": "§"}',
    "<property><name>user</name></property><password>§</password>",
    'const client = new Client({ user: "app", password: "§" })',
    'db.connect(host="db1", user="app", password="§")',
    'os.environ["DB_PASSWORD"] = "§"',
    'form.setPassword("§");',
    "password := '§'",
    'let dbPassword: string = "§"',
    "2026-02-11 14:30:01 DEBUG login user=ann password=§ from 10.0.0.3",
    'POST /login {\\"user\\":\\"ann\\",\\"password\\":\\"§\\"} 401',
    "user=ann&password=§&remember=1",
    "the password of the staging database is §, please use it for the import",
    "I changed the password to § yesterday",
    "log in as ann, password: §",
    "ann's pw: § (only for staging)",
    "Das Passwort für Staging ist: §\nBitte nicht weitergeben.",
    "Kennwort: §",
    "mot de passe: §",
    "la contraseña es § y caduca en mayo",
    "密码是 § 请用它登录",
    "wifi passphrase = §",
    "ansible_become_pass: §",
    "RABBITMQ_DEFAULT_PASS: §",
    "requirepass §\nmaxmemory 1gb",
    "CREATE USER app WITH PASSWORD '§';",
    "ALTER USER app IDENTIFIED BY '§';",
    "java -Dpassword=§ -jar shop.jar",
    "| user | ann |\n| password | § |",
    "wachtwoord is §",
    "Heslo: §",
    "пароль: §",
    "ldapsearch -D cn=admin -w § -b dc=example",
  ],
  /** A word with a digit counts as a secret only where nothing but a password can be. */
  word: [
    '"password": "§"',
    "  password: §\n  user: ann",
    "--password=§",
    "--db-password §",
    "DB_PASSWORD=§",
    "curl -u ann:§ https://x.example.com",
    "machine h login ann password §",
    "https://ann:§@x.example.com/",
    'password = "§"',
  ],
  /** Generated tokens without a prefix. */
  token: [
    '"api_key": "§"',
    "api_key: §",
    'api_key = "§"',
    "apiKey: '§',",
    "API_KEY=§ npm start",
    "x-api-key: §",
    'curl -H "X-Api-Key: §" https://api.example.com/v1',
    'curl -H "PRIVATE-TOKEN: §" https://git.example.com/api',
    'curl -H "Authorization: Bearer §" https://api.example.com/v1',
    "> authorization: Basic §",
    "GET /v1/orders?access_token=§&page=2 200",
    "https://api.example.com/hook?token=§",
    "deploy --token § --env prod",
    "kubeadm join 10.0.0.1:6443 --token=§",
    'client_secret: "§"',
    '{"client_id":"shop","client_secret":"§","grant_type":"client_credentials"}',
    "//registry.example.com/:_authToken=§",
    "_authToken=§",
    "[aws]\nsecret_key = §",
    "SESSION_SECRET='§'",
    "jwt:\n  secret: §\n  ttl: 3600",
    "the API key is §, it is in the vault too",
    "my token is § and it still says 401",
    "Use this access token: §",
    'config.set("apiKey", "§")',
    "headers = {'X-Auth-Token': '§'}",
    "refreshToken=§; Path=/; HttpOnly",
    '<add key="ApiKey" value="§" />',
    "ENV NPM_TOKEN=§",
    "Cookie: lang=en; sessionid=§",
    "https://files.example.com/a.zip?se=2026-02-11&sig=§",
    "https://maps.example.com/js?key=§&v=3",
    "heroku config:set SECRET_KEY_BASE=§",
    "aws configure set aws_secret_access_key §",
    "the bot token § works again",
    "storageAccountKey = §",
    "level=info msg=started auth_token=§ pid=17",
    'webhook { secret => "§" }',
  ],
}

export interface Named {
  text: string
  secret: string
}

const VALUES = {
  password: ["kT7!vq2Rz#", random("named password", 14), `Harbor-${random("named", 4, "23456789")}!x`],
  word: ["hunter42", "Sommer2031"],
  token: [
    random("named token", 32),
    random("named hex", 40, HEX),
    `${random("named a", 20)}-${random("named b", 20)}`,
  ],
} as const

export const NAMED: readonly Named[] = Object.entries(SURROUNDINGS).flatMap(([kind, texts]) =>
  texts.flatMap((text) =>
    VALUES[kind as keyof typeof VALUES].map((secret) => ({ text: text.replace("§", () => secret), secret })),
  ),
)

export const SURROUNDINGS_COUNT = Object.values(SURROUNDINGS).flat().length
