import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import proto from '@temporalio/proto'
import { fileOf, type RecordedRun } from './recordedRuns.ts'

const { History } = proto.temporal.api.history.v1
type History = ReturnType<typeof History.fromObject>

const HISTORIES = path.resolve(import.meta.dirname, '../temporal/histories')

/** Writes a history as JSON, without the identity of the recording machine. */
export function writeHistory(run: RecordedRun, history: object): void {
  const plain = History.toObject(history as History, { longs: String, enums: String, bytes: String })
  const anonymous = (key: string, value: unknown) => (key === 'identity' ? 'recorder' : value)
  writeFileSync(path.join(HISTORIES, fileOf(run)), `${JSON.stringify(plain, anonymous, 1)}\n`)
}

export const readHistory = (run: RecordedRun): History =>
  History.fromObject(JSON.parse(readFileSync(path.join(HISTORIES, fileOf(run)), 'utf8')))
