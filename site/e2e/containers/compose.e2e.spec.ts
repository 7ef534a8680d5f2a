import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FULL } from '#backend/testing/fullRun.ts'
import { commandsOf, inlineCommandsOf, opsLineOf, PAGES, whyNotRunInOps } from '../../../scripts/checks/docCommands.ts'
import { chromiumPath, launchChromium } from '../testing/chromium.ts'
import { composeProject, type Level, lackingForCompose } from '../testing/composeProject.ts'
import { mailCatcher, walkJourney } from '../testing/walkJourney.ts'

const PORTS = { small: 3494, full: 3495 }
const PROCESSES = { small: ['kinora'], full: ['api', 'projections', 'workers'] }
/** Replace data that a running process uses. A new key comes last: it would have to be set for all others. */
const STOPPED = [/rebuild-read-models/, /rotate-key/]
const needsStop = (line: string) => STOPPED.some((form) => form.test(line))
const ADDRESS = 'ada@example.com'

/**
 * KINORA_IMAGE names an image that is already built. KINORA_LEVEL selects one level.
 * docs/decisions/0047-levels-are-run.md.
 */
function lacking(level: Level): string {
  if (!FULL) return 'npm run test:full'
  if ((process.env.KINORA_LEVEL ?? level) !== level) return `KINORA_LEVEL=${level}`
  return chromiumPath() ? lackingForCompose(level) : 'a Chromium'
}

describe.each(['small', 'full'] as const)('the %s level of Compose', (level) => {
  const lacks = lacking(level)
  const needs = lacks && ` (needs ${lacks})`

  describe.skipIf(lacks)(`on a Docker Engine${needs}`, () => {
    const project = composeProject(level, PORTS[level])
    beforeAll(() => project.start(), 1_800_000)
    afterAll(() => project.remove(), 600_000)

    it('makes a new user’s first two videos', { timeout: 600_000 }, async () => {
      const browser = await launchChromium()
      try {
        const mails = level === 'full' ? mailCatcher(`${project.url}/dev/mail`) : undefined
        await walkJourney(browser, project.url, { language: 'en', width: 1280, mails })
      } finally {
        await browser.close()
      }
    })

    it('runs every command of the docs in the ops service', { timeout: 1_200_000 }, () => {
      const lines = [...commandsOf(PAGES), ...inlineCommandsOf(PAGES)].flatMap((command) => opsLineOf(command) ?? [])
      const run = [...new Set(lines)].filter((line) => !whyNotRunInOps(line, level))
      expect(run.length).toBeGreaterThan(15)
      expect(project.ops(`invite ${ADDRESS}`)).toMatchObject({ status: 0 })
      project.shell('mkdir -p /backups/evidence && touch /backups/evidence/erasures.txt')
      const execute = (line: string) => {
        for (const [, made] of line.matchAll(/--(?:out|into) (\S+)/g)) project.shell(`rm -rf ${made}`)
        const { status, output } = project.ops(line)
        return [line, status, status === 0 ? '' : output]
      }
      const done = run.filter((line) => !needsStop(line)).map(execute)
      project.compose('stop', ...PROCESSES[level])
      done.push(...STOPPED.flatMap((form) => run.filter((line) => form.test(line))).map(execute))
      expect(done.filter(([, status]) => status !== 0)).toEqual([])
      for (const command of commandsOf(PAGES).filter((each) => each.startsWith('docker compose exec ')))
        project.compose('exec', '-T', ...command.split(' ').slice(3))
    })
  })
})
