import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { renderInChild } from '#backend/providers/video/demo/renderJob.ts'
import { hashText } from '#renderer/random.ts'
import { KNOWN_PROMPTS } from '#renderer/testing/prompts.ts'

// Measures the CPU time, user and system, of the demo renderer with its encoder: 6 seconds at 768P.
// Run with: node proof/bench/renderCost.ts [number of prompts]

const EVERY = Math.max(1, Math.floor(KNOWN_PROMPTS.length / Number(process.argv[2] ?? 12)))
const folder = await mkdtemp(path.join(tmpdir(), 'kinora-cost-'))
const costs: number[] = []
for (const [prompt] of KNOWN_PROMPTS.filter((_, i) => i % EVERY === 0)) {
  const job = {
    prompt,
    seed: hashText(prompt),
    movements: [],
    resolution: '768P',
    duration: 6,
    out: path.join(folder, 'clip.mp4'),
  } as const
  const { cpuMs } = await renderInChild(job)
  costs.push(cpuMs / 1000)
  console.log(`${(cpuMs / 1000).toFixed(1).padStart(5)} s  ${prompt}`)
}
await rm(folder, { recursive: true, force: true })
costs.sort((a, b) => a - b)
console.log(
  `median ${costs[Math.floor(costs.length / 2)]!.toFixed(1)} s, at most ${costs.at(-1)!.toFixed(1)} s of CPU time`,
)
