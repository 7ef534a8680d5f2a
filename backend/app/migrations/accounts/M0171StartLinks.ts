import { Migration } from '@mikro-orm/migrations'

/** Sign-in links with sealed drafts, the pictures of visitors, and whether an account has a password. */
export class M0171StartLinks extends Migration {
  override up(): void {
    this.addSql(`
      alter table user_account add column has_password boolean not null default true;
      create table start_link (
        id uuid primary key, hash text not null unique, browser text not null, email text not null, language text not null,
        user_id uuid not null references user_account (id) on delete cascade, sealed text,
        expires_at timestamptz not null, confirmed_at timestamptz
      );
      create index start_link_owner on start_link (user_id);
      create index start_link_expiry on start_link (expires_at);
      create table start_image (
        id uuid primary key, hash text not null unique, link_id uuid references start_link (id) on delete cascade,
        sealed text not null, bytes int not null, expires_at timestamptz not null
      );
      create index start_image_link on start_image (link_id);
      create index start_image_expiry on start_image (expires_at);
    `)
  }
}
