const KEY = 'kinora.remix'

/** Keeps the picture of the film that a visitor wants to remix, for the sign-in page of this tab. */
export function keepRemixPicture(address: string): void {
  try {
    sessionStorage.setItem(KEY, address)
  } catch {
    // Storage is unavailable: the page shows no picture.
  }
}

/** Returns the kept picture. */
export function remixPicture(): string | null {
  try {
    return sessionStorage.getItem(KEY)
  } catch {
    return null
  }
}
