import type { Ecosystem } from "./manifest.ts"

export function knownFramework(ecosystem: Ecosystem, dependency: string) {
  for (const key of [
    dependency,
    dependency.replace(/\/v\d+$/, ""), // A Go module without its major version.
    dependency.replace(/:.*/, ""), // The group of a Java artifact.
    dependency.split(".").slice(0, 2).join("."), // The first two parts of a .NET namespace.
  ]) {
    const known = BY_DEPENDENCY.get(`${ecosystem} ${key}`)
    if (known !== undefined) return known
  }
  return undefined
}

/** Libraries by ecosystem and kind, each as `dependency=Name`. */
const LIBRARIES: Record<Ecosystem, Record<string, string>> = {
  npm: {
    language: "typescript=TypeScript",
    ui: "react=React, vue=Vue, svelte=Svelte, solid-js=Solid, preact=Preact, @angular/core=Angular, lit=Lit",
    mobile: "react-native=React Native, expo=Expo",
    "web framework": "next=Next.js, nuxt=Nuxt, astro=Astro, @sveltejs/kit=SvelteKit, @remix-run/react=Remix",
    server: "express=Express, fastify=Fastify, koa=Koa, hono=Hono, @nestjs/core=NestJS",
    api: "@trpc/server=tRPC, graphql=GraphQL",
    database: "prisma=Prisma, @prisma/client=Prisma, drizzle-orm=Drizzle, typeorm=TypeORM, mongoose=Mongoose",
    desktop: "electron=Electron, @tauri-apps/api=Tauri",
    graphics: "three=three.js",
    styles: "tailwindcss=Tailwind CSS",
    build: "vite=Vite, webpack=webpack, rollup=Rollup, esbuild=esbuild, tsup=tsup, tsdown=tsdown",
    monorepo: "turbo=Turborepo, nx=Nx, lerna=Lerna",
    tests: "vitest=Vitest, jest=Jest, mocha=Mocha, ava=AVA, @playwright/test=Playwright, cypress=Cypress",
    lint: "eslint=ESLint, @biomejs/biome=Biome, oxlint=oxlint",
    format: "prettier=Prettier",
    documents: "storybook=Storybook, @docusaurus/core=Docusaurus, vitepress=VitePress",
    agent: "@modelcontextprotocol/sdk=MCP SDK, ai=AI SDK",
    state: "redux=Redux, mobx=MobX",
  },
  python: {
    "web framework": "django=Django, flask=Flask, fastapi=FastAPI, starlette=Starlette, tornado=Tornado",
    http: "aiohttp=aiohttp",
    database: "sqlalchemy=SQLAlchemy",
    data: "pydantic=Pydantic, numpy=NumPy, pandas=pandas, polars=Polars",
    "machine learning":
      "torch=PyTorch, tensorflow=TensorFlow, scikit-learn=scikit-learn, transformers=Transformers",
    jobs: "celery=Celery",
    "command line": "click=Click, typer=Typer",
    tests: "pytest=pytest, hypothesis=Hypothesis, tox=tox",
    lint: "ruff=Ruff, flake8=Flake8, pylint=Pylint",
    format: "black=Black",
    types: "mypy=mypy, pyright=Pyright",
    documents: "sphinx=Sphinx, mkdocs=MkDocs",
    agent: "langchain=LangChain, mcp=MCP SDK",
    ui: "streamlit=Streamlit",
  },
  rust: {
    async: "tokio=Tokio",
    "web framework": "axum=axum, actix-web=Actix Web, rocket=Rocket, warp=warp",
    http: "hyper=hyper, reqwest=reqwest",
    api: "tonic=tonic",
    data: "serde=Serde",
    "command line": "clap=clap",
    database: "diesel=Diesel, sqlx=SQLx, sea-orm=SeaORM",
    game: "bevy=Bevy",
    desktop: "tauri=Tauri",
    ui: "leptos=Leptos, yew=Yew, ratatui=Ratatui",
    benchmarks: "criterion=Criterion",
    tests: "proptest=proptest",
    bindings: "pyo3=PyO3, wasm-bindgen=wasm-bindgen",
  },
  go: {
    "web framework":
      "github.com/gin-gonic/gin=Gin, github.com/labstack/echo=Echo, github.com/gofiber/fiber=Fiber, github.com/go-chi/chi=chi, github.com/gorilla/mux=gorilla/mux",
    "command line": "github.com/spf13/cobra=Cobra, github.com/urfave/cli=urfave/cli",
    ui: "github.com/charmbracelet/bubbletea=Bubble Tea",
    database: "gorm.io/gorm=GORM, entgo.io/ent=ent, github.com/jackc/pgx=pgx",
    api: "google.golang.org/grpc=gRPC",
    tests: "github.com/stretchr/testify=Testify, github.com/onsi/ginkgo=Ginkgo",
    cloud: "k8s.io/client-go=Kubernetes client, sigs.k8s.io/controller-runtime=controller-runtime",
  },
  jvm: {
    "web framework":
      "org.springframework.boot=Spring Boot, plugin:org.springframework.boot=Spring Boot, io.quarkus=Quarkus, plugin:io.quarkus=Quarkus, io.micronaut=Micronaut",
    mobile: "plugin:com.android.application=Android, plugin:com.android.library=Android",
    language:
      "org.projectlombok:lombok=Lombok, plugin:org.jetbrains.kotlin.jvm=Kotlin, plugin:org.jetbrains.kotlin.android=Kotlin",
    database: "org.hibernate.orm:hibernate-core=Hibernate",
    tests:
      "junit:junit=JUnit 4, org.junit.jupiter=JUnit 5, org.mockito:mockito-core=Mockito, org.testcontainers=Testcontainers",
  },
  ruby: {
    "web framework": "rails=Rails, sinatra=Sinatra",
    tests: "rspec=RSpec, rspec-rails=RSpec, minitest=Minitest",
    lint: "rubocop=RuboCop",
    jobs: "sidekiq=Sidekiq",
    documents: "jekyll=Jekyll",
  },
  php: {
    "web framework": "laravel/framework=Laravel, symfony/framework-bundle=Symfony, slim/slim=Slim",
    tests: "phpunit/phpunit=PHPUnit, pestphp/pest=Pest",
    lint: "phpstan/phpstan=PHPStan",
  },
  dotnet: {
    "web framework": "Microsoft.AspNetCore=ASP.NET Core",
    database: "Microsoft.EntityFrameworkCore=Entity Framework Core",
    tests: "xunit=xUnit, NUnit=NUnit, MSTest.TestFramework=MSTest",
  },
}
const BY_DEPENDENCY = new Map(
  Object.entries(LIBRARIES).flatMap(([ecosystem, kinds]) =>
    Object.entries(kinds).flatMap(([kind, list]) =>
      list.split(", ").map((each) => {
        const [dependency = "", name = ""] = each.split("=")
        return [`${ecosystem} ${dependency}`, { name, kind }] as const
      }),
    ),
  ),
)
