import { stat } from 'node:fs/promises'
import path from 'node:path'

/**
 * Returns an alert for each file that the server refuses, such as a faulty model. `since` is the time of the refused
 * version.
 * @param faults reasons by path
 */
export const alertsOfRefusedFiles = (faults: ReadonlyMap<string, string>) =>
  Promise.all(
    [...faults].map(async ([file, reason]) => {
      const changedAt = await stat(file).then(
        ({ mtime }) => mtime,
        () => new Date(),
      )
      const name = `${path.basename(path.dirname(file))}/${path.basename(file)}`
      return { code: `file_refused ${name}`, detail: `${file}: ${reason}`, since: changedAt.toISOString(), times: 1 }
    }),
  )
