import { memoize } from '../../base/memoize.ts';

/** What a section is for. */
export type SectionRole = keyof typeof ROLES;

/**
 * The names of sections by what they are for, separated by commas, in English, German, French, Spanish, Portuguese, Italian, Dutch,
 * Polish, Japanese, Chinese and Russian. `*` stands for any text. What `folded` removes doesn't count; "A and B" is what A is.
 */
const ROLES = {
  /** What the procedure is, why it exists and when it applies. */
  purpose: `
    overview, scope, summary, purpose, introduction, intro, background, description, context, about, about this *, goal*, objective*, aim*, motivation and scope, audience, applicability, applies to, when (not )?to *, use cases, frequency, duration, estimated time, time required, (type|kind)s? of (change|pr|pull request|issue|bug)s?, what (it|this *) does not do, (core |main )?mission, tl;dr,
    ubersicht, uberblick, einleitung, einfuhrung, hintergrund, zweck, ziel, ziele, zielsetzung, *beschreibung, zusammenfassung, geltungsbereich, anwendungsbereich, gultigkeit, zielgruppe, kontext, haufigkeit, dauer, zeitaufwand, (art|typ) der anderung(en)?, worum es geht, wann *,
    apercu, contexte, objectif*, objet, but, presentation, introduction, resume, description, portee, domaine d'application, champ d'application, perimetre, public( vise)?, frequence, duree, quand *,
    resumen, introduccion, objetivo*, proposito, finalidad, alcance, contexto, descripcion, antecedentes, ambito( de aplicacion)?, generalidades, vision general, frecuencia, duracion, destinatarios, cuando *,
    resumo, introducao, objetivo*, finalidade, proposito, escopo, ambito, alcance, contexto, descricao, visao geral, antecedentes, campo de aplicacao, frequencia, duracao, quando *,
    panoramica, introduzione, scopo, obiettivo, obiettivi, finalita, contesto, descrizione, riepilogo, sintesi, campo di applicazione, ambito( di applicazione)?, frequenza, durata, quando *,
    overzicht, inleiding, doel, doelen, doelstelling(en)?, achtergrond, omschrijving, beschrijving, samenvatting, toepassingsgebied, reikwijdte, doelgroep, frequentie, duur, wanneer *, przeglad, wstep, wprowadzenie, cel, cele, zakres( stosowania)?, opis, kontekst, podsumowanie, czestotliwosc, czas trwania, kiedy *,
    概要, 目的, 背景, はじめに, 適用範囲, 対象, 対象範囲, 対象者, スコープ, 説明, 本書について, 頻度, 所要時間,
    概述, 概要, 目的, 目标, 背景, 简介, 介绍, 说明, 范围, 适用范围, 前言, 摘要, 频率, 时长,
    обзор, введение, цель, цели, назначение, область применения, описание, контекст, общие положения, общие сведения, предыстория, когда *`,
  prerequisites: `
    prerequisite*, pre-requisites, requirements, preconditions, parameters, inputs?, ingredients, materials?, equipment, before you (begin|start), what you need, you will need, you need, (required|needed|necessary) (tools?|access|permissions?|materials?|equipment|supplies|items), (tools?|equipment|supplies|materials?|items|access|permissions?)( you)?( will)?( need| needed| required)?, tools and materials,
    *voraussetzung, *voraussetzungen, vorbedingung(en)?, was sie brauchen, was du brauchst, (benotigt|erforderlich)e[srnm]? *, (was )?du brauchst, material, materialien, werkzeuge?, ausrustung, utensilien, zutaten, arbeitsmittel, hilfsmittel, parameter, eingaben, anforderungen, bevor sie beginnen,
    prerequis*, pre-requis*, conditions prealables, materiel*, outil(s|lage)( *)?, equipements?( *)?, fournitures?( *)?, (ce )?dont vous avez besoin, il vous faut, ingredients, parametres, entrees, avant de commencer, exigences,
    requisitos( previos| necesarios)?, prerrequisitos, condiciones previas, material( necesario| requerido)?, materiales( necesarios| requeridos)?, ingredientes, parametros, entradas, antes de (empezar|comenzar), herramientas( *)?, equipo (necesario|requerido), (lo )?que (necesitas|necesita|se necesita),
    requisitos, pre-requisitos, requisitos previos, prerequisitos, condicoes previas, materia(l|is)( necessarios?)?, equipamentos?( *)?, (o )?que (voce )?(precisa|vai precisar), ingredientes, parametros, entradas, antes de comecar, ferramentas( necessarias)?,
    prerequisiti, requisiti( preliminari)?, condizioni preliminari, materiali?e?( (necessari.|occorrente))?, occorrente, attrezzatur(a|e)( *)?, cosa serve, ingredienti, parametri, prima di iniziare, strumenti( necessari)?,
    *vereisten, voorwaarden, randvoorwaarden, benodigdheden, benodigde *, materia(al|len), gereedschap(pen)?, ingredienten, parameters, voordat u begint, voordat je begint, wat je nodig hebt, wat u nodig hebt,
    wymagania( wstepne)?, warunki wstepne, potrzebne *, wymagane *, materialy, sprzet, skladniki, parametry, zanim zaczniesz, narzedzia, 前提, 前提条件, 事前条件, 必要なもの, 用意するもの, 準備するもの, 準備物, 道具, 使用工具, 必要条件, 要件, 材料, パラメータ, 入力, 始める前に,
    前提, 前提条件, 先决条件, 前置条件, 必要条件, 要求, 所需*, 材料, 工具, 准备物品, 参数, 输入, 开始之前, 准备条件,
    предварительные (условия|требования), требования, необходимые условия, необходим(ые|ое) *, инструменты, оборудование, материалы, ингредиенты, параметры, перед началом( работы)?, что (понадобится|нужно)`,
  contacts: `
    contacts?, owners?, contact (information|details|list|persons?), (key|emergency|important|main|useful|escalation|team) contacts, maintainers?, document owner, escalation (contacts?|matrix|path),
    ansprechpartner(innen)?, kontakt, kontakte, kontaktdaten, kontaktpersonen, *kontakte, ansprechpersonen, verantwortlich, verantwortliche, eigentumer, eskalationsweg, eskalationskontakte, *rufnummern,
    contacts?, personnes? a contacter, interlocuteurs?, proprietaires?, coordonnees, numeros (utiles|d'urgence), contactos?, personas? de contacto, datos de contacto, propietarios?, telefonos( de (contacto|emergencia))?,
    contactos de *, contat?os?, contat?os? de *, pessoas de contat?o, dados de contat?o, proprietarios?, telefones( uteis)?, contatti, contatto, referenti, persone di contatto,
    proprietario, recapiti, numeri utili, contatti di *, contact, contacten, contactpersonen, contactpersoon, contactgegevens, eigenaar, kontakt, kontakty, osoby kontaktowe, dane kontaktowe,
    wlasciciel, 連絡先, 緊急連絡先, 問い合わせ先, お問い合わせ, 担当者連絡先, 連絡体制, 联系人, 联系方式, 紧急联系人, 联络人, 联系信息, контакты, контактные (лица|данные), контактная информация, владелец`,
  references: `
    references?, see also, links?, related, related *, further reading, resources, sources, bibliography, reference documents, learn more, additional resources, referenz, referenzen, verweise, siehe auch, links, weiterfuhrende *, quellen, literatur, mitgeltende *, weitere informationen, verwandte *, bezugsdokumente,
    references?( utiles)?, voir aussi, liens( utiles)?, pour en savoir plus, ressources, sources, documents (associes|de reference|lies), bibliographie, en savoir plus,
    referencias?( utiles)?, vease tambien, ver tambien, enlaces( utiles)?, recursos, fuentes, documentos (relacionados|de referencia), bibliografia, documentacion relacionada, mas informacion,
    referencias?( utiles)?, ver tambem, veja tambem, links( uteis)?, ligacoes, recursos, fontes, documentos (relacionados|de referencia), bibliografia, saiba mais, riferiment(o|i), riferimenti *, vedi anche, link( utili)?, collegamenti, risorse, fonti, documenti (correlati|di riferimento), bibliografia,
    referenties?, zie ook, links, verwijzingen, bronnen, gerelateerde *, verwante *, meer informatie, odniesienia, zobacz (tez|takze|rowniez), linki, odnosniki, zrodla, materialy dodatkowe, dokumenty powiazane, powiazane *, bibliografia,
    参考, 参照, 参考資料, 参考文献, 参考リンク, 関連資料, 関連文書, 関連ドキュメント, 関連リンク, 関連項目, リンク,
    参考, 参考资料, 参考文献, 参考链接, 相关文档, 相关链接, 相关资料, 另见, 参见, 链接,
    ссылки, источники, литература, см. также, см также, смотрите также, связанные документы, дополнительные материалы, полезные ссылки`,
  history: `
    (revision |version |document |change |release )?history, (the )?change ?logs?, change record, document control, release notes, what'?s new, *historie, *verlauf, anderungsverzeichnis, anderungen, anderungsprotokoll, versionshinweise, dokumentenlenkung, dokumentenversion, changelog,
    historique*, journal des (modifications|changements|versions), suivi des (modifications|versions), notes de version, historial*, historial de (cambios|versiones|revisiones), control de (cambios|versiones), registro de cambios, notas de la version,
    historico*, historico de (alteracoes|versoes|revisoes), controle de (alteracoes|versoes), registo de alteracoes, registro de alteracoes, notas da versao, cronologia*, storico*, registro delle modifiche, cronologia delle (modifiche|revisioni|versioni), note di (versione|rilascio),
    *geschiedenis, *historie, wijzigingen, wijzigingslog, versiebeheer,
    historia( zmian| wersji)?, rejestr zmian, dziennik zmian, lista zmian,
    改訂履歴, 変更履歴, 更新履歴, 版数, 履歴, リリースノート,
    修订历史, 修订记录, 变更记录, 变更历史, 更新日志, 更新记录, 版本历史, 版本记录, 历史, 发布说明,
    история (изменений|версий|документа), журнал изменений, список изменений`,
  /** What to do if it goes wrong. In a runbook for an alert, that is what the steps are about. */
  trouble: `
    troubleshooting*, when (something|things) go(es)? wrong, if (something|things|it) (goes?|go) wrong, if it fails, in case of (problems|trouble|failure|errors?),
    fehlerbehebung, fehlersuche, problembehebung, problemlosung, storungsbehebung, bei problemen, im fehlerfall, bei fehlern, was tun*, wenn etwas schiefgeht, haufige (probleme|fehler),
    depannage, resolution des problemes, en cas (de|d') ?(problemes?|pannes?|soucis?|erreurs?|echecs?|difficultes?|incidents?), problemes (courants|frequents|connus), que faire en cas *,
    solucion de problemas, resolucion de problemas, en caso de (problemas?|fallos?|error|errores|incidencias?|averias?), problemas (frecuentes|comunes|conocidos), que hacer si *,
    solucao de problemas, resolucao de problemas, em caso de (problemas?|falhas?|erros?|duvidas?), problemas (frequentes|comuns|conhecidos), o que fazer se *, risoluzione dei problemi, risoluzione problemi, in caso di (problem(a|i)|error(e|i)|guast(o|i)), problemi (comuni|frequenti|noti), cosa fare se *,
    probleemoplossing, problemen oplossen, bij problemen, in geval van (problemen|storing|fouten), veelvoorkomende problemen, bekende problemen, rozwiazywanie problemow, w (razie|przypadku) (problemow|bledu|bledow|awarii), typowe problemy, znane problemy,
    トラブルシューティング, 問題が発生した場合, うまくいかない場合, 困ったときは, エラー時の対応, 異常時の対応,
    故障排除, 故障排查, 问题排查, 疑难解答, 常见故障, 如遇问题, 异常处理,
    устранение (неполадок|неисправностей|проблем), решение проблем, если что-то пошло не так, в случае (проблем|ошибки|ошибок|сбоя|неполадок), возможные проблемы`,
  rollback: `
    (roll ?-?back|back ?-?out|revert)( plan| steps| procedure)?, rollback*, ruckfall(plan|verfahren), ruckabwicklung, zurucksetzen im fehlerfall, ruckgangig machen, retour (en )?arriere, plan de (retour|repli)( arriere)?,
    (procedure|plan) de rollback, annulation, reversion, marcha atras, (plan|procedimiento) de (reversion|rollback|marcha atras), vuelta atras, reversao,
    (plano|procedimento) de (reversao|rollback|retorno), ripristino precedente, (piano|procedura) di (rollback|ripristino|rientro), terugdraaien, terugdraaiplan, terugvalplan, rollback ?plan,
    wycofanie( zmian)?, plan wycofania, ロールバック*, 切り戻し*, 切戻し*, 回滚*, 回退*, откат( изменений)?, план отката, процедура отката`,
  glossary: `
    glossary*, terms, terms and definitions, definitions, (list of )?(abbreviations|acronyms)( and *)?, terminology, vocabulary, *glossar, begriffe, begriffsbestimmungen, definitionen, abkurzungen,
    abkurzungsverzeichnis, begriffserklarungen, terminologie, glossaire*, definitions, termes*, abreviations, sigles*, acronymes, terminologie, lexique, glosario*, definiciones, terminos*,
    abreviaturas, siglas, acronimos, terminologia, glossario*, definicoes, termos*, abreviaturas, siglas, acronimos, terminologia, glossario*, definizioni, termini*, abbreviazioni, acronimi, sigle,
    terminologia, *woordenlijst, begrippen, begrippenlijst, definities, afkortingen, terminologie, slownik*, slowniczek, definicje, pojecia, skroty, terminologia, 用語, 用語集, 用語定義, 用語の定義, 定義, 略語, 术语,
    术语表, 术语和定义, 术语与定义, 定义, 名词解释, 缩写, 缩略语, 词汇表, глоссарий*, термины*, определения, сокращения, терминология`,
  roles: `
    role, roles, responsibilities, roles and responsibilities, responsible (persons|parties), raci*, stakeholders, rollen( (und|en) *)?, zustandigkeit(en)?, verantwortlichkeit(en)?, verantwortung, aufgaben und verantwortlichkeiten,
    beteiligte, roles*, responsabilites?, responsables?, acteurs, intervenants, roles*, responsabilidad(es)?, responsables?, funciones y responsabilidades, involucrados, papeis*,
    funcoes e responsabilidades, responsabilidades?, responsave(l|is), envolvidos, ruoli*, responsabilita*, responsabili, rollen( (und|en) *)?, verantwoordelijkhe(id|den), verantwoordelijken, betrokkenen, role,
    role i *, odpowiedzialnosc*, osoby odpowiedzialne, 役割, 責任, 役割と責任, 担当, 担当者, 責任者, 体制, 角色, 职责, 角色与职责, 角色和职责, 责任, 责任人, 负责人, роли*, ответственность, ответственные*, обязанности`,
  notes: `
    (important |general |additional |further |final |safety )?notes?, tips, remarks, known (issues|limitations|problems), limitations, common (problems|mistakes|pitfalls|issues|rationalizations), caveats, warnings, important, disclaimer,
    *hinweis, *hinweise, hinweise (zu|zum|zur|fur) *, anmerkung(en)?, bemerkung(en)?, tipps, bekannte (probleme|einschrankungen), einschrankungen, wichtig, warnhinweise, notizen,
    remarques?*, notes?, astuces, conseils, limitations, avertissements?, points? d'attention, mises? en garde, precautions, consignes de securite, important,
    notas?, notas? (importantes?|adicionales|generales|finales), observaciones, consejos, limitaciones, advertencias?, avisos?, precauciones, recomendaciones, consideraciones*, importante, notas?, observac(ao|oes), dicas, limitacoes, avisos?, advertencias, precaucoes, recomendacoes, consideracoes*, importante,
    note, osservazioni, suggerimenti, consigli, limitazioni, avvertenze*, precauzioni, raccomandazioni, importante, opmerking, opmerkingen, *opmerkingen, tips, aandachtspunten, beperkingen, waarschuwingen, let op, belangrijk, notities,
    uwagi*, wskazowki, ograniczenia, ostrzezenia, wazne, notatki, zalecenia,
    注意, 注意事項, 注意点, 備考, 補足, 留意事項, メモ, 制限事項, 既知の問題, 注記,
    注意, 注意事项, 备注, 提示, 说明事项, 限制, 已知问题, 注释,
    примечани(е|я), замечания, советы, ограничения, предупреждения, важно, рекомендации`,
  appendix: `
    records?, record keeping, documentation and records, aufzeichnungen, enregistrements?, registros?, registrazioni, registraties, zapisy, 記録, 记录, записи, appendix*, appendices, annex*, attachments?, anhang( [a-z0-9][a-z0-9]?)?(: *)?, anhange, anlage, anlagen, annexes?*, pieces jointes, anexos?*, apendices?*, adjuntos, anexos?*, apendices?*, appendic(e|i)*, allegat(o|i)*,
    bijlagen?( [a-z0-9][a-z0-9]?)?(: *)?, aanhangsel, zalacznik*, dodatek*, aneks*, 付録*, 添付資料, 別紙*, 附录*, 附件, приложени(е|я)*`,
  examples: `
    examples?, example *, samples?, beispiel, beispiele, *beispiel, *beispiele, exemples?, exemples? *, ejemplos?, ejemplos? *, exemplos?, exemplos? *, esemp(io|i), esemp(io|i) *, voorbeeld,
    voorbeelden, *voorbeeld, *voorbeelden, przyklad, przyklady, 例, 使用例, サンプル, 示例, 例子, 样例, пример, примеры`,
  /** What comes out of it. */
  results: `
    (desired|expected) (outcome|output|result)s?, outputs?( description| format)?, artifacts, erwartete(s|r)? ergebnis(se)?, ergebnis, ergebnisse, ausgabe, ausgaben, resultats?( attendus?)?, sorties?,
    livrables, resultados?( esperados?)?, salidas?, entregables, resultados?( esperados?)?, saidas?, entregaveis, risultat(o|i)( attes(o|i))?, output, verwacht(e)? resulta(at|ten), resultaat,
    (oczekiwane )?(wyniki?|rezultaty?), oczekiwany (wynik|rezultat), 結果, 期待される結果, 成果物, 出力, 结果, 预期结果, 输出, 交付物, (ожидаемый )?результат, ожидаемые результаты`,
  /** How an agent behaves in every step. */
  rules: `
    constraints, (core |main )?principles?, (critical|important|key) (notes?|constraints?|rules?|considerations), tool guidance, safety and fallback, error (scenarios|handling), best practices,
    grundsatze, prinzipien, wichtige regeln, grundregeln, principes, contraintes, regles importantes, bonnes pratiques, principios, restricciones, reglas importantes, buenas practicas, principios,
    restricoes, regras importantes, boas praticas, principi, vincoli, buone pratiche, principes, uitgangspunten, zasady( ogolne)?, ograniczenia i zasady, 原則, 制約, 制約事項, 基本方針, 原则, 约束, 基本原则, 最佳实践,
    принципы, правила, лучшие практики`,
  /** How to behave, where another section announces the steps. */
  conduct: `
    (ground )?rules?, guidelines, guardrails, conventions, do'?s and don'?ts, regeln, spielregeln, richtlinien, leitplanken, konventionen, regles, consignes, lignes directrices, conventions, reglas, normas, directrices, convenciones, regras, normas, diretrizes, convencoes, regole, linee guida, convenzioni, regels, richtlijnen, afspraken, zasady, reguly, wytyczne, ルール, 規則, ガイドライン, 规则, 规范, 准则, 约定, правила`,
  contents: `
    table of contents, contents, toc, inhalt, inhaltsverzeichnis, sommaire, table des matieres, indice, contenido, tabla de contenidos?, indice, sumario, conteudo, indice, sommario, inhoud,
    inhoudsopgave, spis tresci, 目次, 目录, содержание, оглавление`,
  questions: `
    faqs?, frequently asked questions, q ?(&|and) ?a, haufige fragen, haufig gestellte fragen, fragen und antworten, foire aux questions, questions (frequentes|courantes), preguntas frecuentes,
    perguntas frequentes, domande frequenti, veelgestelde vragen, czesto zadawane pytania, najczestsze pytania, pytania i odpowiedzi, よくある質問, 質問と回答, 常见问题, 常见问题解答, 问答, частые вопросы, часто задаваемые вопросы, вопросы и ответы`,
  /** What contains the steps. */
  steps: `
    (execution |detailed )?steps, procedure, instructions, workflow, process, method, directions, step by step, schritte, arbeitsschritte, einzelschritte, vorgehen, vorgehensweise, ablauf, anleitung,
    durchfuhrung, verfahren, verfahrensablauf, prozedur, anweisungen, zubereitung, schritt fur schritt, etapes, procedure, instructions, deroulement, demarche, marche a suivre, mode operatoire, pasos,
    procedimiento, instrucciones, proceso, desarrollo, paso a paso, elaboracion, pasos a seguir, passos, etapas, procedimento, instrucoes, processo, passo a passo, modo de preparo, passi, passaggi,
    procedura, procedimento, istruzioni, fasi, processo, preparazione passo passo, stappen, stappenplan, werkwijze, procedure, instructies, bereiding, aanpak, kroki, procedura, instrukcja, instrukcje,
    przebieg, sposob postepowania, postepowanie, 手順, 作業手順, 操作手順, 実施手順, 対応手順, 実行手順, ステップ, 作り方, 作業内容, 步骤, 操作步骤, 具体步骤, 处理步骤, 执行步骤, 流程, 操作流程, 处理流程, 实施步骤, шаги, порядок (действий|работы|выполнения), процедура, инструкция, ход работы, действия, пошаговая инструкция`,
  meaning: `
    meaning, symptoms?, bedeutung, symptom, symptome, signification, symptomes?, significado, sintomas?, significado, sintomas?, significato, sintom(o|i), betekenis, symptomen, znaczenie, objawy, 意味,
    症状, アラートの意味, 含义, 症状, 现象, 告警含义, значение, симптомы`,
  impact: `
    impact, auswirkung, auswirkungen, impact, impacts, impacto, impacto, impatto, impact, gevolgen, wplyw, skutki, 影響, 影響範囲, 影响, 影响范围, влияние, последствия`,
  diagnosis: `
    diagnosis, diagnose, diagnostic, diagnostico, diagnostico, diagnosi, diagnose, diagnoza, diagnostyka, 診断, 調査, 诊断, 排查, диагностика`,
  mitigation: `
    mitigation, abhilfe, gegenmassnahmen, behebung, entstorung, attenuation, remede, mesures correctives, mitigacion, mitigacao, mitigazione, mitigatie, oplossing, dzialania naprawcze, mitygacja, 緩和,
    緩和策, 対処, 対処方法, 缓解, 缓解措施, 处理, 处置, устранение, меры по устранению`,
  /** Actions that end an alert, as far as they aren't its mitigation. */
  resolution: `remediation, resolution`,
  /** Sections of a reference, which describes a thing. */
  reference: `
    api, api *, usage, use, options?, examples?, licen[cs]es?, contribut(e|ing|ors?), features?, types?, syntax, compatib*, security, support, credits?, acknowledg*, authors?, sponsors?, backers?, motivation, why *, install(ation|ing)?, getting started, what is *, benchmarks?, performance, methods, properties, events, exports, notes?, roadmap, status, docs, documentation, unreleased,
    lizenz, lizenzen, nutzung, verwendung, benutzung, optionen, beispiele, mitwirken, mitmachen, funktionen, merkmale, warum *, was ist *, danksagung, autoren, dokumentation,
    licence, utilisation, options, exemples, contribuer, contribution*, fonctionnalites, pourquoi *, qu'est-ce que *, remerciements, auteurs, documentation,
    licencia, uso, opciones, ejemplos, contribuir, contribuciones, caracteristicas, funcionalidades, por que *, que es *, agradecimientos, autores, documentacion, instalacion,
    licenca, uso, opcoes, exemplos, contribuir, como contribuir, contribuicoes, recursos e *, funcionalidades, por que *, o que e *, agradecimentos, autores, documentacao, instalacao,
    licenza, utilizzo, uso, opzioni, esempi, contribuire, contribuzioni, funzionalita, perche *, cos'e *, ringraziamenti, autori, documentazione, installazione, licentie, gebruik, opties, voorbeelden, bijdragen, functies, waarom *, wat is *, auteurs, documentatie, installatie,
    licencja, uzycie, uzytkowanie, opcje, przyklady, wspoltworzenie, funkcje, dlaczego *, autorzy, dokumentacja, instalacja,
    ライセンス, 使い方, 使用方法, オプション, 例, 貢献, コントリビュート, 機能, 特徴, インストール, 著者, ドキュメント,
    许可证, 许可, 用法, 使用, 使用方法, 选项, 示例, 贡献, 特性, 功能, 安装, 作者, 文档,
    лицензия, использование, опции, примеры, участие в проекте, возможности, установка, авторы, документация`,
  /** Sections of a decision, a review or a report, which record what was. */
  record: `
    decisions?, consequences, alternatives*, pros and cons*, timeline, lessons*, root causes?, what went (well|wrong)*, entscheidung, entscheidungen, konsequenzen, alternativen, vor- und nachteile,
    zeitverlauf, zeitleiste, lehren, ursache, ursachen, was (gut|schlecht) lief, decisions?, consequences, alternatives, chronologie, lecons*, causes? (racines?|profondes?), decision(es)?,
    consecuencias, alternativas, cronologia, lecciones*, causas? rai(z|ces), decis(ao|oes), consequencias, alternativas, linha do tempo, cronologia, licoes*, causas? rai(z|zes), decision(e|i),
    conseguenze, alternative, cronologia, lezioni*, caus(a|e) principal(e|i), besluit, besluiten, gevolgen, alternatieven, tijdlijn, geleerde lessen, oorzaak, decyzj(a|e), konsekwencje, alternatywy,
    os czasu, wnioski, przyczyn(a|y), 決定, 決定事項, 結果と影響, 代替案, タイムライン, 教訓, 根本原因, 原因, 决定, 决策, 后果, 备选方案, 时间线, 教训, 经验教训, 根本原因, 根因, решени(е|я), последствия, альтернативы, хронология, уроки, причин(а|ы)`,
  /** Sections of meeting notes, and those that only they have. */
  meeting: `
    agenda, minutes, discussion, decisions?( made)?, action items, actions, next steps, tagesordnung, beschlusse, diskussion, offene punkte, nachste schritte, ordre du jour, decisions, discussions?,
    prochaines etapes, points? abordes?, orden del dia, acuerdos, discusion, proximos pasos, pauta, ordem do dia, decisoes, discussao, proximos passos, ordine del giorno, decisioni, discussione,
    prossimi passi, agenda, besluiten, discussie, actiepunten, volgende stappen, porzadek obrad, agenda, ustalenia, decyzje, dyskusja, 議題, 決定事項, 議事内容, アクションアイテム, 议程, 议题, 会议内容, 决议, 行动项, повестка( дня)?, решения, обсуждение`,
  attendance: `
    attendees, participants, present, absent, apologies, next meeting, teilnehmer(innen)?, teilnehmende, anwesende?, abwesende?, entschuldigt, nachster termin, nachstes treffen, presents, participants,
    absents, excuses, prochaine reunion, asistentes, participantes, ausentes, proxima reunion, presentes, participantes, ausentes, proxima reuniao, presenti, partecipanti, assenti, prossima riunione,
    aanwezig, aanwezigen, deelnemers, afwezig, volgende vergadering, obecni, uczestnicy, nieobecni, nastepne spotkanie, 出席者, 参加者, 欠席者, 次回会議, 次回予定, 出席, 参会人员, 与会者, 缺席, 下次会议, присутствовали, участники,
    отсутствовали, следующее (собрание|совещание)`,
  /** Columns of a table: what to do, the step or its number, and what such a table looks up instead. */
  action: `
    actions?, tasks?, activit(y|ies), what( to do)?, aktion(en)?, tatigkeit(en)?, aufgaben?, massnahmen?, handlung(en)?, was( ist)?( zu)?( tun)?, actions?, taches?, activites?, que faire, quoi, accion(es)?, tareas?, actividad(es)?, que hacer, aca?o, aco?es, tarefas?, atividades?, o que fazer,
    azion(e|i), attivita, compit(o|i), cosa fare, acties?, ta(ak|ken), handeling(en)?, activiteit(en)?, wat( te doen)?, czynnosc(i)?, dzialani(e|a), zadani(e|a), 作業, 作業内容, 操作, 操作内容, 実施内容, アクション, 任务, 操作内容, 动作, 行动, действи(е|я), задач(а|и), что (с)?делать`,
  step: `steps?, schritte?, arbeitsschritte?, etapes?, pasos?, passos?, etapas?, pass(o|i), passaggi(o)?, stap(pen)?, krok(i)?, 手順, ステップ, 步骤, 步驟, шаг(и)?, этап(ы)?`,
  lookup: `
    shortcuts?, keys?, permissions?, taste(n)?, tastenkurzel, tastenkombination(en)?, berechtigung(en)?, raccourcis?, touches?, autorisations?, atajos?, teclas?, permisos?, atalhos?, permiss(ao|oes), scorciatoi(a|e), tast(o|i), permess(o|i), sneltoets(en)?, toets(en)?, rechten, skrot(y)?, klawisz(e)?, uprawnieni(e|a), ショートカット, キー, 権限, 快捷键, 按键, 权限, клавиш(а|и), разрешени(е|я)`,
  /** Describes the procedure only next to another name. */
  aside: `escalation, support, limitations, eskalation, escalade, escalado, escalamiento, escalonamento, escalatie, eskalacja, エスカレーション, 升级, эскалация`,
};

/** Roles of sections that describe a procedure and aren't a part of it. */
export const ABOUT_ROLES: ReadonlySet<SectionRole> = new Set([
  ...([
    'purpose',
    'prerequisites',
    'contacts',
    'references',
    'history',
    'glossary',
    'roles',
    'notes',
  ] as const),
  ...(['appendix', 'examples', 'results', 'rules', 'contents', 'questions', 'meaning', 'impact'] as const),
]);

/** Words before the number of a step. */
export const STEP_WORD =
  'step|phase|stage|schritt|étape|etape|paso|passo|etapa|fase|stap|krok|шаг|этап|ステップ|手順|工程|步骤|步驟|第';

const DOCUMENT = `(?:document\\w*|dokument\\w*|procedure|procedimi?ento|procedura|procedury|verfahrens?|runbooks?|playbooks?|checklists?|guide|sop|anleitung)`;
const OF_DOCUMENT = new RegExp(
  String.raw` (?:(?:of|for|des|der|du|de|del|do|da|della|van|niniejsze\w*) )?(?:(?:this|the|dieses|dieser|ce|cette|la|este|esta|deste|desta|questo|questa|dit|deze|het|tego|tej) )?${DOCUMENT}$`,
);

/** The beginning of a title as the table writes names: without case, accents, marks of markdown, numbers, what is in parentheses at its end, and colon. */
function folded(title: string): string {
  return title
    .slice(0, 400)
    .replace(/<!--.*?-->/g, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .normalize('NFKD')
    .replace(/[\p{M}*`_~]/gu, '')
    .toLowerCase()
    .replace(/ß/g, 'ss')
    .replace(/ł/g, 'l')
    .replace(/œ/g, 'oe')
    .replace(/[’‘]/g, "'")
    .replace(/ & /g, ' and ')
    .replace(/^[^\p{L}\p{N}]+/u, '')
    .replace(
      /^(?:第[\d一二三四五六七八九十]+[章節节条]|[一二三四五六七八九十]+[、.]|(?:\d+(?:\.\d+)*|[ivx]+(?=[.)])|[a-z](?=[.)]))[.):]*(?=\s|[^\s\d\p{Script=Latin}]))\s*/u,
      '',
    )
    .replace(/^[^\p{L}\p{N}]+/u, '')
    .replace(/\s*\([^()]*\)$/, '')
    .replace(/^(?:本書|本文書|本手順書?|この(?:文書|手順書?|ドキュメント)|本文档)の?(?=.)/, '')
    .replace(/[\s:.!–—-]+$/, '')
    .replace(/\s+/g, ' ');
}

let names: readonly { role: SectionRole; whole: RegExp; start: RegExp }[] | null = null;

function roleNames() {
  names ??= Object.entries(ROLES).map(([role, list]) => {
    const any = list
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .split(',')
      .map((name) => name.trim().replace(/\s+/g, ' ').replaceAll('*', '.*'))
      .join('|');
    return {
      role: role as SectionRole,
      whole: new RegExp(`^(?:${any})$`),
      start: new RegExp(`^(?:${any})(?![\\p{L}\\p{N}])`, 'u'),
    };
  });
  return names;
}

const AND = / ?[&/,;+・、] ?| (?:and|or|und|oder|et|y|e|i|en|и|と) |および|及び|和|与|及/u;

/** What a section is for, by its title: several roles where kinds of documents use a name differently, and none for other titles. */
export const rolesOf = /* @__PURE__ */ memoize((title): ReadonlySet<SectionRole> => {
  const text = folded(title);
  const rolesIn = (part: string) =>
    new Set(roleNames().flatMap(({ role, whole }) => (whole.test(part) ? [role] : [])));
  for (const whole of new Set([text, text.replace(OF_DOCUMENT, '')])) {
    const found = rolesIn(whole);
    found.delete('aside');
    if (found.size > 0) return found;
  }
  const parts = text.replace(OF_DOCUMENT, '').split(AND).map(rolesIn);
  const describes = (part: ReadonlySet<SectionRole>) => [...part].some((role) => ABOUT_ROLES.has(role));
  const isAll =
    parts.length > 1 && parts.every((part) => describes(part) || part.has('aside') || part.has('trouble'));
  return (isAll ? parts.find(describes) : undefined) ?? new Set();
}, 1 << 18);

export function hasRole(title: string, ...wanted: SectionRole[]): boolean {
  const roles = rolesOf(title);
  return wanted.some((role) => roles.has(role));
}

/** Whether a title begins with a name of the role: "Glossary: networks". */
export function beginsWithRole(title: string, wanted: SectionRole): boolean {
  return roleNames().some(({ role, start }) => role === wanted && start.test(folded(title)));
}
