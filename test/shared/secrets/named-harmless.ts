export const NAMED_HARMLESS: readonly string[] = `password: string
"password": ""
"password": "string"
"password": "password"
"password": "changeme"
"password": "must be at least 8 characters"
"password": "Forgot your password?"
"forgotPassword": "Forgotten it already"
"passwordHint": "Use 12 letters or more!"
"password": "Passwort vergessen?"
"password": "Old and new do not match!"
password: "Type it again"
password = "is required"
const password = "user input from the form"
["password", "user name 2", "remember me"]
--password "the one from the vault"
"password": "your-password-1"
"password": "********"
"password": "<password>"
"password": "\${DB_PASSWORD_2}"
"password": "{{ vault_db_password_2 }}"
"password": "Passwort"
"password": { "type": "string", "minLength": 12 }
"password": null
password: !vault |
password: \${{ secrets.DB_PASSWORD_2 }}
password: process.env.DB_PASSWORD2
password = os.environ["DB_PASSWORD_2"]
password = getpass.getpass()
password = hash2(password, salt)
password = args[2]
const password = await readPassword2()
const { password } = request.body
if (password !== confirmation2) return
if (password.length < 12) throw new Error("too short")
password: Schema.String2
password: sha256
password hashing uses PBKDF2-HMAC-SHA256
the password is hashed with bcrypt12 first
the password is too short
the password is required in v2
password reset in 2026-02-11T14:30:00Z
reset-password-form2.tsx
password123 is what everybody tries
passwords: 12, users: 40
PASSWORD_MIN_LENGTH=12
PASSWORD_FILE=/run/secrets/db_password_1
MYSQL_PASSWORD=$MYSQL_PASSWORD_1
MYSQL_PASSWORD=\${MYSQL_PASSWORD_1:-}
--password=$PASSWORD_1
--password=<password1>
--password-stdin < token1.txt
--password-file ./secrets/pw1.txt
curl -u user:password https://api.example.com
curl -u $USER:$PASS https://api.example.com
curl -u "$CI_USER:$CI_PASS_2" https://api.example.com
curl -u <user>:<password> https://api.example.com
curl -U proxy.example.com:8080 https://api.example.com
docker run -u 1000:1000 -p 8080:80 nginx:1.27
mysql -u root -p
mysql -u root -p$MYSQL_ROOT_PASSWORD
psql -h db1 -p 5432 -U app
mkdir -p src/auth2/password
api_key: string;
api_key: YOUR_API_KEY_2
api_key: sample-api-key-0001
apiKey: process.env.OPENAI_API_KEY_2
apiKey = settings.API_KEY_2
apiKey: z.string().min(16)
"api_key": "test-api-key-for-unit-tests-2"
API_KEY=$(cat /run/secrets/api_key_2)
x-api-key: {{apiKey2}}
?access_token=ACCESS_TOKEN_2&page=2
?token=\${token2}
the token is valid for 3600 seconds
the token is a JWT with HS256
the token is in ~/.config/app/token.json
token: Token2
token: str = "abc"
"token": "keyword.operator.assignment2"
"token": "markup.heading.1"
tokens: 8192, max_tokens: 100000
"max_token": "12345678901234567890"
"next_token": "c2VlIHlvdSBvbiBwYWdlIDI5"
nextPageToken: 'CAUQAA2fj3kd93kdl2'
nextToken = "eyAicGFnZSI6IDIgfQa1b2"
pad_token: "<|endoftext|>"
eos_token=151643
token_type: Bearer
token = tokens[2]
token = parser.next2()
token === SyntaxKind.Number2Token
cancellationToken: source2.token
designToken: "spacing-16-regular-2x"
public_key: MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7
publicKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE"
"idempotency_key": "8e03978e-40d5-43e8-bc93-6894a57f9324"
primary_key: user_id_2
sort_key = created_at_2026
foreign key: orders.customer_id
cache-key: node-20-linux-x64-v3
key: linux-node-20-8d2a15bf837c4c141c372
secret: my-secret-v2
secretName: tls-shop-example-com-2026
secretKeyRef:\\n  name: db-credentials-2\\n  key: password
secret: arn:aws:secretsmanager:eu-central-1:123456789012:secret:prod/db-AbCdEf
secret: projects/12345/secrets/db-main/versions/3
secret = "op://Private/db1/password"
secret: vault:secret/data/db1#password
client_secret: str
secrets: inherit
the secret is to test it early
the secret is in 1Password under shop-db-2
Authorization: Bearer <token2>
Authorization: Bearer {{ access_token_2 }}
Authorization: Basic <base64 of user:password>
authorization: required
auth: { type: "oauth2" }
_auth = useAuth2()
machine learning login page password policy
machine1 login: Feb 11 14:30:01 password expired
compass: 12N-34W-5678
bypass=always2
the encompass: a1b2c3d4e5f6a7b8c9d0 commit
passed: 120, failed: 2
pass: 120/122 (98.4%)
pw: page2.width
access_key_id: the first half of the pair
license key: see LICENSE-2.0.txt
signing key: ed25519
private_key: ./certs/server2.key
private_key_path = "/etc/ssl/private/web1.pem"
service_key = f"{prefix}{n}"
auth-key: sha256/base64url
token 3f2a9c81 is the commit that broke it
the token commit d2c6c1ba3890b309189a8e618c72a162e4efbf36 is older
passwordless login with WebAuthn2
Kennwort: mindestens 12 Zeichen
Das Passwort ist abgelaufen
mot de passe: obligatoire
password: [masked: password]`
  .split("\n")
  .map((line) => line.replaceAll("\\n", "\n"))
