import path from 'node:path'
import { SHIPPED_MODELS } from '../app/adapters.ts'
import { ConfigError } from '../app/config/environment.ts'
import { parseOptions, runProgram, text, UsageError } from '../kernel/commandLine.ts'
import { openCatalogue } from '../tasks/catalogue/catalogue.ts'
import { checkAnswer, preview, tryConnection } from './videoProviders/checkProvider.ts'
import { listProviders } from './videoProviders/listProviders.ts'
import { openProviders } from './videoProviders/openProviders.ts'

const usage = `npm run providers
  Lists the configured video providers, the models that they offer with their routes, and refused files.

npm run providers -- check <name> [--model <id>]
  Shows the request that a video would send, with the key masked, and tries the connection. Makes no video.

npm run providers -- check <name> --answer <file or -> [--of create|state|result] [--status <HTTP status>]
  Reads an answer of the provider with the paths of its definition. - is the standard input.`

type Opened = Awaited<ReturnType<typeof openProviders>>

async function list({ config, log, providers, definitions }: Opened, print: (text: string) => void): Promise<number> {
  const folders = [SHIPPED_MODELS, path.join(config.dataDir, 'models')]
  const catalogue = await openCatalogue({ folders, providers, log })
  const faults = new Map([...definitions.faults(), ...catalogue.faults()])
  const models = catalogue.offered()
  await catalogue.close()
  print(listProviders({ configured: [...providers.keys()], definitions: definitions.all(), models, faults }))
  return faults.size > 0 ? 1 : 0
}

async function check({ providers, definitions }: Opened, args: readonly string[], print: (text: string) => void) {
  const [name, ...options] = args
  if (!name || name.startsWith('-')) throw new UsageError('The name of the provider is missing')
  const { model, answer, of, status } = parseOptions(options, { model: text, answer: text, of: text, status: text })
  const [definition, provider] = [definitions.all().get(name), providers.get(name)]
  if (!definition && !provider) throw new UsageError(`No video provider is named ${name}`)
  if (answer !== undefined && !definition)
    throw new UsageError(`${name} has no definition, so --answer is not possible`)
  if (definition && answer !== undefined) return checkAnswer(definition, { answer, of, status }, print)
  if (definition) print(`${preview(definition, model)}\n`)
  if (provider) return tryConnection(provider, print)
  print(`failed: ${definition!.key.variable} is not set`)
  return 1
}

/** Lists or checks video providers. Returns the exit code: 0, 1 for faults, or 2 for an invalid command line. */
export function runProviders(args: readonly string[], env: NodeJS.ProcessEnv, print: (text: string) => void) {
  return runProgram({ usage, expected: [ConfigError], print }, async () => {
    const [command, ...rest] = args
    if (command !== undefined && command !== 'check') throw new UsageError(`There is no command ${command}`)
    const opened = await openProviders(env)
    try {
      return await (command === undefined ? list(opened, print) : check(opened, rest, print))
    } finally {
      await opened.close()
    }
  })
}

if (import.meta.main) process.exitCode = await runProviders(process.argv.slice(2), process.env, console.log)
