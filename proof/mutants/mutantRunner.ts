import path from 'node:path'
import { createVitest } from 'vitest/node'

/** Asks to run specs while a file has another text. */
export interface Trial {
  readonly file: string
  readonly text: string
  readonly specs: readonly string[]
}

/** `failed` names the first test that failed; undefined if all passed. */
export type Verdict = { readonly failed: string | undefined }

// A process of mutants.ts. Keeps one Vitest warm, so that a trial costs little more than its tests. The parent ends it
// when a trial does not answer, because a mutant may never stop.

const ROOT = path.resolve(import.meta.dirname, '../..')
const TEST_TIMEOUT_MS = 5_000

let trial: Trial | undefined
const vitest = await createVitest(
  'test',
  {
    root: ROOT,
    config: false,
    watch: true,
    // The cache on disk is keyed by the file's own text, so it would answer with the original.
    fsModuleCache: false,
    include: ['{backend,workflows}/**/*.spec.ts'],
    // Threads end with this process. A process of their own would outlive it in the endless loop of a mutant.
    pool: 'threads',
    isolate: false,
    maxWorkers: 1,
    bail: 1,
    testTimeout: TEST_TIMEOUT_MS,
    hookTimeout: 60_000,
    reporters: [{}],
  },
  {
    server: { watch: null },
    plugins: [
      {
        name: 'mutant',
        enforce: 'pre',
        load: (id) => (trial && id.split('?')[0] === path.join(ROOT, trial.file) ? trial.text : undefined),
      },
    ],
  },
)

async function run({ file, specs }: Trial, previous = file): Promise<Verdict> {
  for (const changed of [file, previous]) vitest.invalidateFile(path.join(ROOT, changed))
  const project = vitest.getRootProject()
  const files = specs.map((spec) => path.join(ROOT, spec))
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(
    files.map((spec) => project.createSpecification(spec)),
  )
  // Vitest also returns the modules of earlier trials.
  const modules = testModules.filter(({ moduleId }) => files.includes(moduleId))
  const failed = modules.flatMap(({ children }) => [...children.allTests('failed')])[0]
  const isBroken = unhandledErrors.length > 0 || modules.some((module) => module.state() !== 'passed')
  return { failed: failed?.fullName ?? (isBroken ? 'outside of a test' : undefined) }
}

process.on('message', async (next: Trial) => {
  const previous = trial?.file
  trial = next
  process.send!(await run(next, previous))
})
process.on('disconnect', () => process.exit())
process.send!('ready')
