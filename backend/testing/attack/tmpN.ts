import { createAttacker } from './attacker.ts'
import { measureNeighbour } from './neighbour.ts'
import { startTarget } from './target.ts'

const target = await startTarget()
const attacker = createAttacker(target)
for (const kind of process.argv.slice(2)) {
  process.env.ATTACK_KINDS = kind
  await attacker.run(kind, async () => {
    const n = await measureNeighbour(attacker, 3, 4000)
    console.log(kind, JSON.stringify(n))
    return ''
  })
  console.log(JSON.stringify(attacker.sections.at(-1)!.longestTurn))
}
console.log(attacker.findings)
await target.stop()
