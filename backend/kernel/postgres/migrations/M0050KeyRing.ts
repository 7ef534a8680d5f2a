import { Migration } from '@mikro-orm/migrations'

export class M0050KeyRing extends Migration {
  override up(): void {
    // Keys made from an earlier ENCRYPTION_KEY that are still needed, sealed with the present one.
    this.addSql(`create table key_ring (
      purpose text not null,
      sealed text not null,
      rotated_at timestamptz not null
    )`)
  }
}
