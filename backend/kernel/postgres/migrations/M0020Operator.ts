import { Migration } from '@mikro-orm/migrations'

export class M0020Operator extends Migration {
  override up(): void {
    this.addSql(`create table operator_session (
      hash text primary key,
      created_at timestamptz not null,
      expires_at timestamptz not null
    )`)
    this.addSql(`create table operator_action (
      id bigint generated always as identity primary key,
      at timestamptz not null,
      action text not null,
      detail text,
      ip text
    )`)
  }
}
