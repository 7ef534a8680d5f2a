import path from 'node:path'
import { SHIPPED_MODELS } from '../app/adapters.ts'
import { ConfigError } from '../app/config/environment.ts'
import { answerHelp, parseOptions, runProgram, text, UsageError } from '../kernel/commandLine.ts'
import { openCatalogue } from '../tasks/catalogue/catalogue.ts'
import { isAdapter, previewAdapter, readWithAdapter } from './videoProviders/checkAdapter.ts'
import { checkAnswer, preview, readAnswer, tryConnection } from './videoProviders/checkProvider.ts'
import { listProviders } from './videoProviders/listProviders.ts'
import { openProviders } from './videoProviders/openProviders.ts'

const usage = `npm run providers
  Lists the configured video providers, the models that they offer with their routes, and refused files.

npm run providers -- check <name> [--model <id>]
  Shows the request that a video would send, with the key masked, and tries the connection. Makes no video.

npm run providers -- check <name> --answer <file or -> [--of create|state|result] [--status <HTTP status>]
  Reads an answer of the provider as Kinora would. - is the standard input. An adapter without a definition knows no result.`

type Opened = Awaited<ReturnType<typeof openProviders>>
type AdapterOptions = Readonly<{
  name: Parameters<typeof previewAdapter>[0]['name']
  model: string | undefined
  answer: string | undefined
  of?: string | undefined
  status?: string | undefined
}>

async function readModels({ config, log, providers }: Opened) {
  const folders = [SHIPPED_MODELS, path.join(config.dataDir, 'models')]
  const catalogue = await openCatalogue({ folders, providers, log })
  await catalogue.close()
  return { models: catalogue.offered(), faults: catalogue.faults() }
}

async function list(opened: Opened, print: (text: string) => void): Promise<number> {
  const { providers, definitions } = opened
  const { models, faults: modelFaults } = await readModels(opened)
  const faults = new Map([...definitions.faults(), ...modelFaults])
  print(listProviders({ configured: [...providers.keys()], definitions: definitions.all(), models, faults }))
  return faults.size > 0 ? 1 : 0
}

/** Checks a provider with an adapter of its own. Returns the exit code, or undefined to try the connection, too. */
async function checkAdapter(
  opened: Opened,
  { name, model, answer, of = 'state', status = '200' }: AdapterOptions,
  print: (text: string) => void,
): Promise<number | undefined> {
  const { models } = await readModels(opened)
  const adapter = { context: opened.context, name, models, model }
  if (answer !== undefined) {
    const { ok, conclusion } = await readWithAdapter(adapter, of, readAnswer(answer, status))
    print(`${ok ? 'ok' : 'failed'}: ${conclusion}`)
    return ok ? 0 : 1
  }
  const hasModels = models.some(({ routes }) => routes.some(({ provider }) => provider === name))
  if (hasModels || model !== undefined) print(`${await previewAdapter(adapter)}\n`)
  return undefined
}

async function check(opened: Opened, args: readonly string[], print: (text: string) => void) {
  const { providers, definitions } = opened
  const [name, ...options] = args
  if (!name || name.startsWith('-')) throw new UsageError('The name of the provider is missing')
  const { model, answer, of, status } = parseOptions(options, { model: text, answer: text, of: text, status: text })
  const [definition, provider] = [definitions.all().get(name), providers.get(name)]
  if (!definition && !provider) throw new UsageError(`No video provider is named ${name}`)
  if (provider && isAdapter(name)) {
    const code = await checkAdapter(opened, { name, model, answer, of, status }, print)
    return code ?? tryConnection(provider, print)
  }
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
    answerHelp(args)
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
