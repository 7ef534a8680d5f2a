import type { Locator, Page } from 'playwright'

/** Opens the menu of a name, and chooses one of its actions. */
export async function chooseInMenu(place: Page | Locator, menu: string, action: string): Promise<void> {
  await place.getByRole('button', { name: menu, exact: true }).click()
  await place.getByRole('menuitem', { name: action, exact: true }).click()
}
