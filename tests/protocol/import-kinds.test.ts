import { describe, expect, it } from 'vitest';
import { isAbout, isReference } from '../../src/protocol/import/carriers.ts';
import { importDocument } from '../../src/protocol/import/convert.ts';
import { isAlertRunbook } from '../../src/protocol/import/procedures.ts';
import { hasRole, rolesOf, type SectionRole } from '../../src/protocol/import/sections.ts';

const options = { name: 'a', commandFault: () => null };
/** A document of items: numbered, in a plain list, or with a heading each. */
const forms = (title: string, items: string) => {
  const all = items.split(';');
  return [
    all.map((item, at) => `${at + 1}. ${item}`).join('\n'),
    all.map((item) => `- ${item}`).join('\n'),
    all.map((item) => `## ${item}\n\nText about it.\n`).join('\n'),
  ].map((body) => `# ${title}\n\n${body}\n`);
};

const PROCEDURES = [
  ['Restart the pump', 'Close the valve;Cut the power;Wait a minute'],
  ['Passport renewal', 'Photo taken at a shop;Form filled in;Fee paid at the desk'],
  ['Morning opening', 'Lights on;Alarm off;Till counted'],
  ['Backup', 'The operator stops the service;The operator copies the disk;The operator starts the service'],
  ['Tea', 'Boil water;Put a bag in the cup;Pour'],
  ['Deploy', 'Merge the branch;Tag the commit;Watch the dashboards'],
  ['Onboarding', 'Laptop ordered;Accounts created;Buddy assigned'],
  ['Security policy update', 'Draft the policy;Ask legal;Publish it'],
  [
    'Handle a data request',
    'You must verify the person;You must search all systems;You must answer within 30 days',
  ],
  ['Close the month', 'All invoices must be booked;The bank must be reconciled;The report must be sent'],
  ['Write release notes', 'Collect the changes;Group them;Publish'],
  ['Meeting preparation', 'Book a room;Send the agenda;Print the slides'],
  ['Server umziehen', 'Dienst stoppen;Daten kopieren;Dienst starten'],
  ['Drucker einrichten', 'Schalten Sie den Drucker ein;Wählen Sie das Netz;Drucken Sie eine Testseite'],
  ['Notfallplan', 'Ruhe bewahren;Feuerwehr rufen;Gebäude verlassen'],
  ['Passwort zurücksetzen', 'Öffne die Konsole;Prüfe den Benutzer;Setze das Passwort zurück'],
  ['Redémarrer le serveur', 'Arrêter le service;Vider le cache;Relancer le service'],
  ['Changer un pneu', 'Serrez le frein;Levez la voiture;Dévissez les écrous'],
  ["Procédure d'accueil", 'Le responsable prépare le badge;Le technicien installe le poste;La recrue signe'],
  ['Cambiar la contraseña', 'Abra la consola;Elija el usuario;Guarde el cambio'],
  ['Copia de seguridad', 'Detener el servicio;Copiar los datos;Iniciar el servicio'],
  ['Reiniciar o servidor', 'Pare o serviço;Limpe a memória;Inicie o serviço'],
  ['Riavviare il server', 'Fermare il servizio;Svuotare la cache;Avviare il servizio'],
  ['Перезапуск сервера', 'Остановите службу;Очистите кэш;Запустите службу'],
  ['サーバーの再起動', 'サービスを停止する;キャッシュを消す;サービスを開始する'],
  ['重启服务器', '停止服务;清除缓存;启动服务'],
  ['Server herstarten', 'Stop de dienst;Leeg de cache;Start de dienst'],
  ['Starta om servern', 'Stoppa tjänsten;Töm cachen;Starta tjänsten'],
  ['Incident triage', 'Is the site up?;Check the load balancer;Call the owner'],
  ['Turn on the heating', '**Power**: switch it on;**Valve**: open it fully;**Thermostat**: set 21 degrees'],
  [
    'Rotate keys',
    '**New key**: create it in the console;**Old key**: delete it after a day;**Audit**: note the date',
  ],
  ['Set up the TV', 'Power cable - wall socket;HDMI cable - port 1;Antenna - rear'],
  ['Ship order', 'Picked from shelf;Packed in box;Label printed;Handed to courier'],
  ['Daily routine', '09:00 Open the shop;12:00 Count the till;18:00 Lock the door'],
  ['Cutover', '2024-05-01: Freeze the old system;2024-05-02: Copy the data;2024-05-03: Open the new system'],
  ['Review a change', 'Tests are green;Docs are updated;Changelog has an entry'],
  ['Features: how to enable them', 'Open settings;Choose labs;Turn it on'],
  ['How to play a playlist', 'Open the app;Tap Library;Tap the playlist'],
  ['Team onboarding', 'Add to chat;Add to calendar;Give a tour'],
  ['Vacation checklist', 'Passport;Tickets;Chargers'],
  ['Install Linux - Debian', 'Download the image;Write it to a stick;Boot from it'],
  ['Clean the kitchen', 'Dishes - dishwasher;Surfaces - wipe;Floor - mop'],
  ['Guidelines for deploys', 'Announce it;Watch it;Roll back when it fails'],
  ['Pre-flight', 'Fuel checked;Oil checked;Radio checked'],
  ['Pre-flight 2', 'Fueled;Loaded;Secured;Signed'],
  ['Escalate', 'Email the lead;Then page the on-call;If nobody answers, call the CTO'],
  ['Employee leaves', 'The manager tells HR;HR disables the account;IT collects the laptop'],
  [
    'Visitors',
    'Visitors must sign in at the desk;Visitors get a badge;Hosts pick them up;Visitors return the badge',
  ],
];

const OTHERS = [
  ['Meeting notes 2024-05-01', 'Ana presented the plan;Ben asked about cost;We agreed to wait'],
  ['Minutes of the board', 'Budget approved;Hiring paused;Date set'],
  ['Standup notes', 'Ana: login page;Ben: tests;Cem: on leave'],
  ['Retro notes', 'Good pace;Too many meetings;Builds were slow'],
  ['Besprechungsnotizen', 'Ana stellt den Plan vor;Ben fragt nach den Kosten;Wir warten'],
  ['Compte rendu de réunion', 'Ana présente le plan;Le budget est validé;Prochaine date'],
  ['Acta de reunión', 'Ana presenta el plan;Se aprueba el presupuesto;Fecha'],
  ['Glossary', '**API**: a way for programs to talk;**SLA**: an agreement on quality;**SLO**: a goal'],
  [
    'Words',
    'API: An interface for programs;SLA: An agreement on quality;SLO: A goal for it;RTO: The time to recover',
  ],
  ['Abbreviations', 'CI – continuous integration;CD – continuous delivery;QA – quality assurance'],
  ['Glossar', '**API**: eine Schnittstelle;**SLA**: ein Vertrag;**SLO**: ein Ziel'],
  ['Glossaire', '**API** : une interface;**SLA** : un contrat;**SLO** : un but'],
  ['Glosario', '**API**: una interfaz;**SLA**: un contrato;**SLO**: un objetivo'],
  [
    'Remote work policy',
    'Employees may work from home two days a week;Managers must agree;Data must stay on company devices',
  ],
  [
    'Password policy',
    'Passwords must have 12 characters;Users may not share them;Admins must use two factors',
  ],
  ['Code of conduct', 'We respect each other;Nobody is harassed;Reports are confidential'],
  ['FAQ', 'What is it?;How much does it cost?;Who made it?'],
  ['Questions', 'What is kairos?;Is it free?;Can I use it offline?;Who runs it?'],
  ['Häufige Fragen', 'Was ist es?;Was kostet es?;Wer hat es gemacht?'],
  ['Preguntas frecuentes', '¿Qué es?;¿Cuánto cuesta?;¿Quién lo hizo?'],
  ['Changelog', 'Fix crash on start;Add dark mode;Remove old API'],
  ["What's new", 'Dark mode;Offline maps;Share sheet'],
  ['Releases', '1.2.0 (2024-05-01);1.1.0 (2024-03-01);1.0.0 (2024-01-01)'],
  ['Versions', 'v1.2.0;v1.1.0;v1.0.0'],
  ['Änderungsprotokoll', 'Absturz behoben;Dunkelmodus hinzugefügt;Alte API entfernt'],
  ['Historial de cambios', 'Corregido un fallo;Añadido el modo oscuro;Eliminada la API'],
  ['My favourite songs', 'Bohemian Rhapsody – Queen;Let It Be – The Beatles;Imagine – John Lennon'],
  ['Party playlist', 'Dancing Queen;Billie Jean;September'],
  ['Top 10 films', 'Alien (1979);Heat (1995);Fargo (1996)'],
  ['Features', 'Fast startup;Small footprint;Works offline'],
  ['Product features', '**Fast**: starts in a second;**Small**: 2 MB;**Open**: MIT'],
  ['Roadmap', 'Dark mode;Offline maps;Plugins'],
  ['Reading list', 'Dune – Frank Herbert;Emma – Jane Austen;Ulysses – James Joyce'],
  [
    'Awesome tools',
    '[jq](https://x) - JSON on the command line;[fd](https://x) - finds files;[rg](https://x) - searches',
  ],
  ['Links', '[A](https://a);[B](https://b);[C](https://c)'],
  ['Incident of May', '10:02 alert fired;10:05 Ana joined;10:20 service was restored;10:30 incident closed'],
  ['Team', 'Ana – design;Ben – backend;Cem – ops'],
];

describe('the kind of a document', () => {
  it.each(PROCEDURES)('lets %j be a procedure in every form', async (title, items) => {
    for (const source of forms(title!, items!))
      expect((await importDocument(source, options)).steps).toBeGreaterThan(1);
  });

  it.each(OTHERS)('rejects %j, unless the steps are named', async (title, items) => {
    const [numbered = '', plain = ''] = forms(title!, items!);
    for (const source of [numbered, plain])
      await expect(importDocument(source, options)).rejects.toThrow(
        /^no procedure found: it is .* \(.+\)\. If it is one, give --steps (?:list|tasks), or --section TITLE for a part$/,
      );
    expect((await importDocument(numbered, { ...options, steps: 'list' })).steps).toBe(
      items!.split(';').length,
    );
  });

  it.each([
    ['Glossar', 'Digest;Mandant;Nachweis'],
    ['Glossaire réseau', 'Hôte;Passerelle;Pare-feu'],
    ['Glosario de términos', 'Servidor;Clave;Copia'],
    ['Słownik pojęć', 'Klucz;Serwer;Kopia'],
    ['用語集', '鍵;サーバー;複製'],
    ['Rules of the house', 'Keep quiet after 22:00;Clean the kitchen;Lock the door'],
    ['Hausordnung', 'Ruhezeiten einhalten;Müll trennen;Türen schließen'],
    ['Règlement intérieur', 'Respecter les horaires;Fermer les portes;Trier les déchets'],
    ['Datenschutzerklärung', '1. Verantwortlicher;2. Zweck der Verarbeitung;3. Ihre Rechte;4. Cookies'],
    ['Política de privacidad', 'Responsable del tratamiento;Datos que recogemos;Sus derechos'],
    ['Terms of service', '1. Use of the service;2. Your account;3. Liability'],
    ['プライバシーポリシー', '取得する情報;利用目的;第三者提供'],
  ])('rejects %j with sections or numbered ones, unless they are named', async (title, items) => {
    const [, , sections = ''] = forms(title, items);
    await expect(importDocument(sections, options)).rejects.toThrow(
      `(its title is ${title}). If it is one, give --steps h2`,
    );
    expect((await importDocument(sections, { ...options, steps: 'h2' })).steps).toBeGreaterThan(1);
  });

  it.each([
    'Travel expense policy',
    'Meeting notes of May',
    'Weekly sync 2026-11-23',
    'Besprechung vom 23.11.2026',
  ])('rejects %j with numbered sections, unless one names an action', async (title) => {
    const sections = (last: string) =>
      `# ${title}\n\n## 1. Budget\n\n1. Economy class only.\n2. Receipts are required.\n\n## 2. ${last}\n\nText.\n`;
    await expect(importDocument(sections('Office'), options)).rejects.toThrow(`(its title is ${title})`);
    expect((await importDocument(sections('Ask the manager'), options)).steps).toBe(2);
  });

  it.each([
    ['Datenschutzerklärung erstellen', 'Daten sammeln;Text schreiben;Freigabe holen'],
    ['Glossar pflegen', 'Begriff suchen;Eintrag schreiben;Eintrag prüfen'],
    ['Update the privacy policy', 'Draft it;Ask legal;Publish it'],
    ['House rules checklist', 'Print them;Post them;Date them'],
    ['Firewall rules', 'Open the console;Add the rule;Save it'],
    ['Sync the mirrors 2026-11-23', 'Mirror A;Mirror B;Mirror C'],
  ])('imports %j, which is about such a document', async (title, items) => {
    for (const source of forms(title, items)) expect((await importDocument(source, options)).steps).toBe(3);
  });

  it.each([
    [
      'people and topics',
      '# Weekly\n\n## Attendees\n\n- Ana\n- Ben\n\n## Action items\n\n- [ ] Ana: send it\n- [ ] Ben: read it\n',
    ],
    [
      'tasks',
      '# Sync notes\n\n## Present\n\nAna\n\n## Agenda\n\n1. Plan\n2. Cost\n\n## Next meeting\n\nMonday\n',
    ],
    [
      'words before a colon',
      '# Weekly\n\nPresent: Ana, Bo\n\n1. Budget\n   It is fine.\n2. Hiring\n3. Office\n\n## Action items\n\n- [ ] Bo calls\n',
    ],
    [
      'such words in German',
      '# Montag\n\n**Teilnehmer:** Ana, Bo\n\n1. Budget ist in Ordnung.\n2. Die Heizung ist kaputt.\n\nNächster Termin: 30.11.\n',
    ],
  ])('sees meeting notes by their sections: %s', async (_, source) => {
    await expect(importDocument(source, options)).rejects.toThrow('it is meeting notes (');
  });

  it.each([
    ['a skill', '---\nname: faq\ndescription: Answers\n---\n# FAQ\n\n1. What is it?\n2. Who?\n3. Why?\n'],
    [
      'a rule',
      '---\nglobs: "*.ts"\n---\n# Code guidelines\n\n- Types are strict\n- Names are short\n- Files are small\n',
    ],
    ['announced steps', '# Policy\n\n## Steps\n\n1. What is it?\n2. Who?\n3. Why?\n'],
    ['tasks', '# Features\n\n- [ ] Dark mode\n- [ ] Offline maps\n- [ ] Plugins\n'],
    ['commands', '# Features\n\n1. Dark mode\n\n   ```sh\n   x\n   ```\n2. Maps\n3. Plugins\n'],
  ])('judges no %s', async (_, source) => {
    expect((await importDocument(source, options)).steps).toBeGreaterThan(0);
  });
});

/** Names of sections, and what is read of them. */
const NAMES: readonly (readonly [SectionRole, string])[] = [
  ['purpose', 'Purpose;1. Zweck;Objectif :;OBJETIVO;Finalidade;Scopo;Doel;Cel;目的;适用范围;Назначение'],
  [
    'purpose',
    'Purpose of this document;Ziel des Dokuments;Objet de la procédure;Zweck und Geltungsbereich;本手順書の目的',
  ],
  [
    'prerequisites',
    '## Prerequisites;Systemvoraussetzungen;Prérequis;Requisitos previos;Pré-requisitos;Prerequisiti',
  ],
  [
    'prerequisites',
    'Benodigdheden;Wymagania wstępne;前提条件;先决条件;Требования;Prerequisites (read first):',
  ],
  [
    'contacts',
    'Contacts;5) Ansprechpartner;Interlocuteurs;Contactos;Contatos;Referenti;Contactpersonen;Kontakty;連絡先;联系人',
  ],
  ['contacts', 'Ansprechpartner und Eskalation;Контакты;Emergency contacts'],
  [
    'references',
    'See also;Weiterführende Links;Voir aussi;Véase también;Ver também;Zie ook;Zobacz też;参考資料;相关文档;Ссылки',
  ],
  [
    'history',
    'Revision history;Änderungsverlauf;Historique des versions;Historial de cambios;変更履歴;修订历史;История изменений',
  ],
  [
    'trouble',
    'Troubleshooting;Fehlerbehebung;En cas de problème;Solución de problemas;トラブルシューティング;故障排除',
  ],
  [
    'rollback',
    'Rollback plan;Rückfallplan;Retour arrière;Plan de reversión;切り戻し;回滚步骤;Откат изменений',
  ],
  [
    'glossary',
    'Glossary;IT-Glossar;Lexique;Glosario de términos;Begrippenlijst;Słownik pojęć;用語集;术语表;Глоссарий',
  ],
  [
    'roles',
    'Roles & responsibilities;Zuständigkeiten;Responsabilités;Responsables;Verantwoordelijkheden;役割;职责',
  ],
  [
    'notes',
    'Notes;Wichtige Hinweise;Sicherheitshinweise;Remarques;Notas importantes;Avvertenze;Uwagi;注意事項;备注',
  ],
  ['appendix', 'Appendix A: forms;Anhang 2;Annexe;Anexo I;Allegato;Bijlage;Załącznik nr 1;付録;附录'],
  [
    'steps',
    'Steps;4. Vorgehensweise;Étapes;Pasos;Passo a passo;Procedimento;Stappen;Kroki;手順;操作步骤;Порядок действий',
  ],
];
const ACTIONS =
  'Note the time;Contact the owner;Kontakte prüfen;Check the prerequisites;Rollen zuweisen;Step 1: Prerequisites;Étape 2 : Références;Zweck prüfen;Historie sichern;Definir objetivos;Contactar al responsable;連絡先に電話する;检查前提条件;I am late;Reference the ticket;Include the notes';

describe('what a section is for', () => {
  it.each(NAMES)('reads names of %s: %s', (role, names) => {
    for (const name of names.split(';'))
      expect([name, hasRole(name.replace(/^#+ /, ''), role)]).toEqual([name, true]);
  });

  it('reads a name in any case, with a number, marks and a colon', () => {
    for (const [role, names] of NAMES)
      for (const name of names.split(';').map((each) => each.replace(/^(?:#+|\d+[.)]) /, '')))
        for (const form of [name.toUpperCase(), `3.1 ${name}`, `**${name}:**`, `📌 ${name}`, `C. ${name}`])
          expect([form, hasRole(form, role)]).toEqual([form, true]);
  });

  it.each([
    ['Plan de retour arrière', ['rollback']],
    ['Plan de', []],
    ['Teléfonos de emergencia', ['contacts']],
    ['Persone di contatto', ['contacts']],
    ['Aufgaben und Verantwortlichkeiten', ['roles']],
    ['Повестка дня', ['meeting']],
    ['Часто задаваемые вопросы', ['questions']],
  ])('reads names of several words: %s', (title, roles) => {
    expect([...rolesOf(title)]).toEqual(roles);
  });

  it('reads no name in actions', () => {
    expect(ACTIONS.split(';').filter((title) => rolesOf(title).size > 0)).toEqual([]);
  });

  it('reads trouble as the subject of an alert', () => {
    const isAlert = isAlertRunbook(['Bedeutung', 'Auswirkungen', 'Behebung']);
    expect([isAlert, isAbout('Fehlersuche', false), isAbout('Fehlersuche', true)]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('knows the sections of references', () => {
    expect(isReference(['Lizenz', 'Verwendung', 'Aufbau'])).toBe(true);
    expect(isReference(['Dienst stoppen', 'Verwendung', 'Dienst starten'])).toBe(false);
  });

  it.each([
    ['German', 'Zweck;Voraussetzungen;Durchführung;Ansprechpartner;Hinweise;Änderungsverlauf'],
    ['French', 'Objectif;Prérequis;Étapes;En cas de problème;Contacts;Voir aussi'],
    ['Spanish', 'Objetivo;Requisitos previos;Pasos;Solución de problemas;Contactos;Historial de cambios'],
    ['Portuguese', 'Objetivo;Pré-requisitos;Procedimento;Em caso de problemas;Contatos;Histórico de versões'],
    ['Italian', 'Scopo;Prerequisiti;Procedura;Risoluzione dei problemi;Contatti;Cronologia delle revisioni'],
    ['Dutch', 'Doel;Vereisten;Stappen;Problemen oplossen;Contactpersonen;Wijzigingsgeschiedenis'],
    ['Polish', 'Cel;Wymagania;Kroki;Rozwiązywanie problemów;Kontakty;Historia zmian'],
    ['Japanese', '目的;前提条件;手順;トラブルシューティング;連絡先;変更履歴'],
    ['Chinese', '目的;前提条件;操作步骤;故障排除;联系人;修订历史'],
    ['Russian', 'Цель;Требования;Порядок действий;Устранение неполадок;Контакты;История изменений'],
  ])('makes steps of what a section announces, and of no other in %s', async (_, sections) => {
    const names = sections.split(';');
    for (const [mark, taken] of [
      ['', ['One', 'Two']],
      ['#. ', ['One', 'Two']],
    ] as const) {
      const parts = names.map((name, at) => {
        const text = hasRole(name, 'steps') ? '1. One\n2. Two' : `- A ${at}\n- B ${at}\n- C ${at}`;
        return `## ${mark.replace('#', String(at + 1))}${name}\n\n${text}\n`;
      });
      const { text } = await importDocument(`# T\n\n${parts.join('\n')}`, options);
      expect([...text.matchAll(/^## (.*)$/gm)].map(([, label]) => label)).toEqual([
        'Natural Language Triggers',
        ...taken,
      ]);
      for (const at of names.keys()) if (at !== 2) expect(text).toContain(`- C ${at}\n`);
    }
  });
});
